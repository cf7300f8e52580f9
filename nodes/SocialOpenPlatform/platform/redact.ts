const REDACTED = '[redacted]';

/** Shorter secrets are not redacted, because ordinary text may contain them by chance. */
const MIN_LENGTH = 6;

/**
 * Finds the token in a link to a file that n8n stores. Anyone with the link can download the file.
 * Links of other executions have other tokens, so a token is recognized by the rest of its link.
 */
const FILE_TOKEN =
	/((?:\/|\\\/|%2f)binary-data(?:\/|\\\/|%2f)signed(?:\?|%3f)token(?:=|%3d))[\w-]+(?:\.[\w-]+)*/gi;

/**
 * Returns the spellings in which a text may contain secrets: plain, in JSON, percent-encoded and in
 * base64. A stored token ends with a digest that is not sent, so it is included with and without
 * the digest. Values that are not text are ignored.
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
 * Redacts secrets in a value that the platform has sent, so that n8n does not store them. Texts,
 * numbers and the keys of objects are searched. Tokens in links to files of n8n are redacted, too.
 *
 * @param secrets the spellings of the secrets, see {@link secretsIn}
 * @returns a copy
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const clean = (text: string) => {
		let left = text.replace(FILE_TOKEN, `$1${REDACTED}`);
		// Unlike `replaceAll`, this needs little memory if a text contains a secret millions of times.
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
