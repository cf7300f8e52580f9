const REDACTED = '[redacted]';

/** Shorter secrets are not redacted, because ordinary text contains them by chance. */
const MIN_LENGTH = 6;

/**
 * The token of a link to a file that n8n stores, which anyone who has it can download. Links of
 * other executions have other tokens, so they are recognized by the link.
 */
const FILE_TOKEN =
	/((?:\/|\\\/|%2f)binary-data(?:\/|\\\/|%2f)signed(?:\?|%3f)token(?:=|%3d))[\w-]+(?:\.[\w-]+)*/gi;

/** A link with a file token has at least this length. */
const MIN_LINK_LENGTH = 27;

/** The secrets among values of a credential. A token is stored with a digest, and sent without it. */
export function secretsIn(...values: unknown[]) {
	return values
		.filter((value) => typeof value === 'string')
		.flatMap((value) => [value, value.replace(/ [\da-f]{64}$/, '')]);
}

/** The spellings of each list of secrets. An entry disappears together with its list. */
const known = new WeakMap<readonly string[], Set<string>>();

/** Returns the spellings of secrets in JSON and in URLs, and of their base64. */
function spellingsOf(secrets: readonly string[]) {
	const base64 = secrets.map((text) => Buffer.from(text).toString('base64'));
	const unpadded = base64.map((text) => text.replace(/=+$/, ''));
	const all = [...secrets, ...base64, ...unpadded]
		.filter(({ length }) => length >= MIN_LENGTH)
		.flatMap((secret) => {
			const text = secret.toWellFormed();
			const json = JSON.stringify(text).slice(1, -1);
			const percent = encodeURIComponent(text);
			const inLowerCase = percent.replace(/%../g, (hex) => hex.toLowerCase());
			// PHP writes a slash in JSON with a backslash.
			return [text, json, json.replaceAll('/', '\\/'), percent, inLowerCase];
		});
	return new Set(all);
}

/**
 * Redacts secrets in a value that the platform has sent, so that n8n does not store them. It
 * searches texts, numbers and the keys of objects, and finds a secret as plain text, in JSON,
 * percent-encoded and in base64. It also redacts the tokens of links to files of n8n.
 *
 * @param secrets the secrets as plain text. Very short secrets are not redacted. Callers pass the
 * same list each time, because finding its spellings takes longer than the search.
 * @returns a copy
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const spellings = known.get(secrets) ?? spellingsOf(secrets);
	known.set(secrets, spellings);
	const shortest = Math.min(MIN_LINK_LENGTH, ...[...spellings].map(({ length }) => length));
	const clean = (text: string) => {
		if (text.length < shortest) return text;
		let left = text.replace(FILE_TOKEN, `$1${REDACTED}`);
		// Unlike `replaceAll`, this needs little memory for millions of secrets in one text.
		for (const spelling of spellings) left = left.split(spelling).join(REDACTED);
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
