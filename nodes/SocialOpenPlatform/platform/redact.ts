const REDACTED = '[redacted]';

/** Shorter secrets are not redacted, because ordinary text contains them by chance. */
const MIN_LENGTH = 6;

/**
 * The token of a link to a file that n8n stores, which anyone who has it can download. Links of
 * other executions have other tokens, so they are recognized by the link.
 */
const FILE_TOKEN =
	/((?:\/|\\\/|%2f)binary-data(?:\/|\\\/|%2f)signed(?:\?|%3f)token(?:=|%3d))[\w-]+(?:\.[\w-]+)*/gi;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function toHtml(text: string, apostrophe: string) {
	return text.replace(/[&<>"']/g, (character) => entities[character] ?? apostrophe);
}

function toAscii(json: string) {
	return json.replace(/[^\0-~]/g, (unit) => {
		return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
	});
}

/** Encodings write hexadecimal digits in either case. */
const HEX_DIGITS = /(?<=\\u)[\da-f]{4}|(?<=%)[\da-f]{2}/gi;

/** Returns the spellings of a text that JavaScript, PHP and servers use in JSON, URLs and HTML. */
function spellingsOf(secret: string) {
	const text = secret.toWellFormed();
	const json = JSON.stringify(text).slice(1, -1);
	const php = json.replaceAll('/', '\\/');
	const form = new URLSearchParams({ '': text }).toString().slice(1).replaceAll('*', '%2A');
	const encoded = [json, toAscii(json), php, toAscii(php), encodeURIComponent(text), form];
	return [
		text,
		toHtml(text, '&#39;'),
		toHtml(text, '&#039;'),
		...encoded.flatMap((spelling) => [
			spelling.replace(HEX_DIGITS, (hex) => hex.toLowerCase()),
			spelling.replace(HEX_DIGITS, (hex) => hex.toUpperCase()),
		]),
	];
}

/** The secrets among values of a credential. A token is stored with a digest, and sent without it. */
export function secretsIn(...values: unknown[]) {
	return values
		.filter((value) => typeof value === 'string')
		.flatMap((value) => [value, value.replace(/ [\da-f]{64}$/, '')]);
}

/** The spellings of each list of secrets. An entry disappears together with its list. */
const known = new WeakMap<readonly string[], ReturnType<typeof allSpellings>>();

function allSpellings(secrets: readonly string[]) {
	const base64 = secrets.map((secret) => Buffer.from(secret).toString('base64'));
	const unpadded = base64.map((text) => text.replace(/=+$/, ''));
	const forms = [...secrets, ...base64, ...unpadded];
	const all = new Set(forms.filter(({ length }) => length >= MIN_LENGTH).flatMap(spellingsOf));
	// A link with a file token has at least 27 characters.
	return { all, shortest: Math.min(27, ...[...all].map(({ length }) => length)) };
}

/**
 * Redacts secrets in a value that the platform has sent, so that n8n does not store them. It
 * searches texts, numbers and the keys of objects, and finds a secret as plain text, in JSON,
 * percent-encoded, with HTML entities, and in base64. It also redacts the tokens of links to files
 * of n8n.
 *
 * @param secrets the secrets as plain text. Very short secrets are not redacted. Callers
 * pass the same list each time, because its spellings are kept with it.
 * @returns a copy
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const spellings = known.get(secrets) ?? allSpellings(secrets);
	known.set(secrets, spellings);
	const clean = (text: string) => {
		if (text.length < spellings.shortest) return text;
		let left = text.replace(FILE_TOKEN, `$1${REDACTED}`);
		// Unlike `replaceAll`, this needs little memory for millions of secrets in one text.
		for (const spelling of spellings.all) left = left.split(spelling).join(REDACTED);
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
