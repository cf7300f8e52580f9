/** The end of a long secret that is searched for, because a message may be cut off at its start. */
const TAIL = 24;

/** The characters of a text in base64 depend on its offset, so there are three forms. */
function base64Forms(secret: string): string[] {
	return [0, 1, 2].flatMap((offset) => {
		const text = Buffer.from('\0'.repeat(offset) + secret).toString('base64');
		const inner = text.slice(Math.ceil((offset * 4) / 3), -4);
		return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
	});
}

const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

const bytesOf = (secret: string, before: string) =>
	[...Buffer.from(secret)].map((byte) => before + byte.toString(16).padStart(2, '0')).join('');

/** The percent-encodings for URLs, for forms, and of every byte. */
function percentForms(secret: string): string[] {
	const form = new URLSearchParams({ s: secret }).toString().slice(2);
	const forms = [encodeURIComponent(secret), form, encodeURI(secret), bytesOf(secret, '%')];
	return forms.flatMap((text) => [
		text,
		text.replace(/%../g, (byte) => byte.toLowerCase()),
		text.replace(/%../g, (byte) => byte.toUpperCase()),
		encodeURIComponent(text),
	]);
}

/** JSON with all possible escape sequences, and JSON as a string inside JSON. */
function jsonForms(secret: string): string[] {
	const slashes = escaped(secret).replaceAll('/', '\\/');
	const codes = [...secret].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
	const once = [escaped(secret), slashes, codes.join('')];
	return [...once, ...once.map(escaped)];
}

const hex = (secret: string) => Buffer.from(secret).toString('hex');

type Form = [form: string, needle: string];

export function formsOf(secret: string): Form[] {
	const named = (form: string, ...needles: string[]) =>
		[...new Set(needles)].map((needle): Form => [form, needle]);
	const all = [
		...named('clear', secret),
		...named('JSON', ...jsonForms(secret)),
		...named('URL-encoded', ...percentForms(secret)),
		...named('hex', hex(secret), hex(secret).toUpperCase()),
		...named('base64', ...base64Forms(secret)),
		...named('backwards', [...secret].reverse().join('')),
		...named('UTF-16', Buffer.from(secret, 'utf16le').toString('latin1')),
		...named('bytes', [...Buffer.from(secret)].join(',')),
		...(secret.length < 2 * TAIL ? [] : named('its end', secret.slice(-TAIL))),
	];
	// Equal texts get the name of the simplest form.
	return [
		...new Map(all.reverse().map(([form, needle]) => [needle, [form, needle] as Form])).values(),
	];
}

const single: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Decodes all escape sequences of JSON in a text, for a secret in which only some characters are escaped. */
export const unescaped = (text: string): string =>
	text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code?: string, one = '') =>
		code === undefined
			? (single[one as string] ?? String(one))
			: String.fromCharCode(parseInt(code, 16)),
	);
