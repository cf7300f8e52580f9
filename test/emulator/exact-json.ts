const MARK = '\u0000integer:';
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Writes JSON in which a bigint is an integer literal, because `social_post_id` is an integer that may need
 * 64 bits (platform interface, Social action result).
 */
export function writeJson(value: unknown): string {
	if (typeof value === 'bigint') return value.toString();
	if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
	if (value !== null && typeof value === 'object') {
		if ('toJSON' in value && typeof value.toJSON === 'function') return JSON.stringify(value);
		const members = Object.entries(value).filter(([, member]) => member !== undefined);
		return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeJson(member)}`).join(',')}}`;
	}
	return JSON.stringify(value) ?? 'null';
}

/** Reads JSON and returns an integer that a double cannot represent as a bigint. */
export function readExactJson(text: string): unknown {
	const marked = text.replace(TOKENS, (token) => {
		const integer = /^-?\d+$/.test(token);
		return integer && !Number.isSafeInteger(Number(token)) ? `"\\u0000integer:${token}"` : token;
	});
	return JSON.parse(marked, (_key, value: unknown) =>
		typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
	);
}
