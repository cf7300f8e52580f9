const REDACTED = '[redacted]';

/** Minimum length of a redacted spelling, in characters. Ordinary text may contain shorter ones. */
const MIN_LENGTH = 6;

/**
 * Matches the token in a link to one of n8n's files. Anyone with the link can download the file.
 * Links from other executions have unknown tokens, so the rest of a link identifies its token.
 */
const FILE_TOKEN =
	/((?:\/|\\\/|%2f)binary-data(?:\/|\\\/|%2f)signed(?:\?|%3f)token(?:=|%3d))[\w-]+(?:\.[\w-]+)*/gi;

/**
 * Returns the spellings in which a string may contain secrets: plain, JSON-escaped, percent-encoded
 * and base64. A stored token ends with a digest that is not sent, so it is included with and
 * without the digest. Values that are not strings are ignored.
 */
export function secretsIn(...values: unknown[]): string[] {
	const secrets = values
		.filter((value) => typeof value === 'string')
		.flatMap((value) => [value, value.replace(/ [\da-f]{64}$/, '')]);
	const base64 = secrets.map((text) => Buffer.from(text).toString('base64'));
	const unpadded = base64.map((text) => text.replace(/=+$/, ''));
	const spellings = [...secrets, ...base64, ...unpadded]
		.filter(({ length }) => length >= MIN_LENGTH)
		.flatMap((secret) => {
			const text = secret.toWellFormed();
			const json = JSON.stringify(text).slice(1, -1);
			const percent = encodeURIComponent(text);
			const inLowerCase = percent.replace(/%../g, (hex) => hex.toLowerCase());
			// PHP escapes slashes in JSON.
			return [text, json, json.replaceAll('/', '\\/'), percent, inLowerCase];
		});
	return [...new Set(spellings)];
}

/**
 * Redacts secrets in a value, so that n8n does not store them. Strings, numbers and object keys are
 * searched. Tokens in links to n8n's files are also redacted.
 *
 * @param secrets the spellings of the secrets, see {@link secretsIn}
 * @returns a copy
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const clean = (text: string) => {
		let left = text.replace(FILE_TOKEN, `$1${REDACTED}`);
		// Unlike `replaceAll`, `split` needs little memory for a string that repeats a secret often.
		for (const secret of secrets) {
			if (left.includes(secret)) left = left.split(secret).join(REDACTED);
		}
		return left;
	};
	const walk = (part: unknown): unknown => {
		if (typeof part === 'string') return clean(part);
		if (typeof part === 'number') return clean(String(part)) === String(part) ? part : REDACTED;
		if (Array.isArray(part)) return part.map(walk);
		if (typeof part !== 'object' || part === null) return part;
		return Object.fromEntries(Object.entries(part).map(([key, of]) => [clean(key), walk(of)]));
	};
	return walk(value) as T;
}
