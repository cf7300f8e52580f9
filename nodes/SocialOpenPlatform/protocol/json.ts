/** An escaped character, a quote, or a whole number (RFC 8259, sections 6 and 7). */
const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const INTEGER = /^-?\d+$/;

/** Sixteen digits are the fewest that can exceed 2^53. */
const MAY_HOLD_LARGE_INTEGER = /\d{16}/;

/** Puts large integers in quotes, in text that is known to be JSON. Linear, and flat on the stack. */
function quoteLargeIntegers(text: string): string {
	let inString = false;
	return text.replace(ESCAPE_QUOTE_OR_NUMBER, (token) => {
		if (token === '"') inString = !inString;
		else if (!inString && INTEGER.test(token) && !Number.isSafeInteger(Number(token))) {
			return `"${token}"`;
		}
		return token;
	});
}

/**
 * Parses JSON without losing digits: integers beyond 2^53 (64-bit post ids, for instance) come back
 * as strings of their digits; nothing else changes. JSON's numbers have no bound of their own,
 * JavaScript's do.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
	const value: unknown = JSON.parse(text);
	return MAY_HOLD_LARGE_INTEGER.test(text) ? JSON.parse(quoteLargeIntegers(text)) : value;
}

/** Some servers put one before their JSON (RFC 8259, section 8.1, lets readers ignore it). */
const BYTE_ORDER_MARK = /^\uFEFF/;

export const withoutByteOrderMark = (text: string): string => text.replace(BYTE_ORDER_MARK, '');
