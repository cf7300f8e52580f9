/** Seconds have up to eleven digits until the year 5138, milliseconds twelve or more since 1973. */
const SECONDS = /^\d{1,11}$/;
const MILLISECONDS = /^\d{12,15}$/;

/** ISO 8601 with a zone; without one, nobody knows which hour is meant. */
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * Reads the time of a delivery: seconds or milliseconds since 1970, or an ISO date with its zone.
 *
 * @returns milliseconds since 1970, or undefined when it is none of these
 */
export function readTimestamp(text: string): number | undefined {
	if (SECONDS.test(text)) return Number(text) * 1000;
	if (MILLISECONDS.test(text)) return Number(text);
	const time = ISO_DATE.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(time) ? undefined : time;
}
