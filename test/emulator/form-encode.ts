/** PHP's form encoding of each byte: `A-Z a-z 0-9 - _ .` unchanged, a space as `+`, others as `%XX`. */
const ENCODED = Array.from({ length: 256 }, (_, byte) => {
	const char = String.fromCharCode(byte);
	if (/[A-Za-z0-9\-_.]/.test(char)) return char;
	return char === ' ' ? '+' : '%' + byte.toString(16).toUpperCase().padStart(2, '0');
});

function encodePart(text: string): string {
	let out = '';
	for (const byte of Buffer.from(text, 'utf8')) out += ENCODED[byte]!;
	return out;
}

function scalarText(value: unknown): string {
	if (typeof value === 'boolean') return value ? '1' : '0';
	return String(value);
}

function flatten(key: string, value: unknown): string[] {
	if (value === null || value === undefined) return [];
	if (typeof value === 'object') {
		return Object.entries(value).flatMap(([inner, member]) => flatten(`${key}[${inner}]`, member));
	}
	return [`${encodePart(key)}=${encodePart(scalarText(value))}`];
}

/**
 * Encodes fields as PHP's `ksort` and `http_build_query(…, PHP_QUERY_RFC1738)` do: top-level keys are sorted,
 * nested keys are in brackets and keep their order, nulls are dropped, and Booleans are 1 or 0
 * (platform interface, Token request signature; contract, The token signature).
 */
export function formEncode(fields: Record<string, unknown>): string {
	return Object.keys(fields)
		.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
		.flatMap((key) => flatten(key, fields[key]))
		.join('&');
}
