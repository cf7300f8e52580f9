import { encodePairs } from './signature';

const REDACTED = '[redacted]';

/** Shorter secrets are not redacted, because ordinary text contains them by chance. */
const MIN_LENGTH = 6;

/**
 * Maximum nesting of a value, which no real response exceeds. It protects the stack from hostile
 * responses.
 */
const MAX_DEPTH = 100;

/**
 * Maximum number of nested encodings to decode, such as percent encoding inside JSON inside JSON.
 */
const MAX_LEVELS = 4;

/**
 * A link to a file that n8n stores, and its token. Anyone who has the token can download the file. Earlier
 * requests, also in other executions, contained other tokens, so they are recognized by the link.
 */
const FILE_LINK = /(\/binary-data\/signed\?token=)[\w-]+(?:\.[\w-]+)*/g;

/** A range of a text: the first position, and the position after the last. */
type Span = [start: number, end: number];

/**
 * Escape sequences of JSON and PHP (`\/`, `\u002F`, `\x2F`), URLs (`%2F`, or the bytes of a UTF-8
 * character) and HTML (`&#47;`, `&amp;`).
 */
const ESCAPE =
	/\\(?:u[\da-f]{4}|x[\da-f]{2}|.)|%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[\da-f](?:%[89ab][\da-f]){3}|&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos|sol|plus|equals);?/gis;

/** An incomplete escape sequence at the end of a text, which the next piece may complete. */
const UNFINISHED_ESCAPE =
	/(?:\\+(?:u[\da-f]{0,3}|x[\da-f]?)?|%[\da-f]?|%[c-f][\da-f](?:%[89ab]?[\da-f]?){0,3}|&(?:#x?[\da-f]{0,7}|[a-z]{0,6}))$/i;

/** Maximum length of an incomplete escape sequence. Only one with many backslashes is longer. */
const MAX_UNFINISHED = 64;

const named: Record<string, string> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
	sol: '/',
	plus: '+',
	equals: '=',
};
const control: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Decodes an escape sequence.
 *
 * @returns its character, or the escape sequence itself if it encodes no character
 */
function characterOf(escape: string): string {
	if (escape.startsWith('%')) return percentDecode(escape);
	if (escape.startsWith('\\')) {
		if (escape.length > 2) return String.fromCharCode(parseInt(escape.slice(2), 16));
		return control[escape.charAt(1)] ?? escape.slice(1);
	}
	const name = escape.slice(1).replace(';', '').toLowerCase();
	if (!name.startsWith('#')) return named[name] ?? escape;
	const point = name.startsWith('#x') ? parseInt(name.slice(2), 16) : Number(name.slice(1));
	return point <= 0x10ffff ? String.fromCodePoint(point) : escape;
}

function percentDecode(escape: string): string {
	if (escape.length === 3) return String.fromCharCode(parseInt(escape.slice(1), 16));
	try {
		return decodeURIComponent(escape);
	} catch {
		return escape;
	}
}

function decode(text: string): string {
	const mayHaveEscapes = /[\\%&]/.test(text);
	return mayHaveEscapes ? text.replace(ESCAPE, (escape) => characterOf(escape)) : text;
}

/** All forms of a secret that may themselves be encoded in base64 or hex. */
function spellingsOf(secret: string): string[] {
	const json = JSON.stringify(secret).slice(1, -1);
	const php = json
		.replaceAll('/', '\\/')
		.replace(/[^\0-~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
	const all = [secret, secret.replaceAll(' ', '+'), json, php];
	if (secret.isWellFormed()) {
		const form = encodePairs([['', secret]]).slice(1);
		all.push(encodeURIComponent(secret), form);
	}
	return [...new Set(all)];
}

/**
 * The forms of a secret in base64. Three bytes become four characters, so a secret has another form
 * at each of the three possible offsets in an encoded text. Characters that depend on the
 * surrounding bytes are left out.
 */
function base64Forms(bytes: Buffer): string[] {
	const cores = [0, 1, 2].map((offset) => {
		const base64 = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
		const [first, end] = [offset, offset + bytes.length].map((at) => (at * 8) / 6) as Span;
		return base64.slice(Math.ceil(first), Math.floor(end));
	});
	const whole = bytes.toString('base64');
	return [whole, whole.replace(/=+$/, ''), ...cores].flatMap((form) => [
		form,
		form.replaceAll('+', '-').replaceAll('/', '_'),
	]);
}

/** All forms of a secret in a text whose escape sequences are decoded. */
function formsOf(secret: string): string[] {
	const written = [secret];
	// A secret may itself contain characters that look like an escape sequence.
	for (let level = 0; level < MAX_LEVELS; level++) written.push(decode(written.at(-1)!));
	written.push(secret.replaceAll(' ', '+'));
	const encoded = spellingsOf(secret).flatMap((spelling) => {
		const bytes = Buffer.from(spelling);
		const hex = bytes.toString('hex');
		return [hex, hex.toUpperCase(), ...base64Forms(bytes)];
	});
	return [...written, ...encoded].filter((form) => form.length >= MIN_LENGTH);
}

/** Prepared data for finding secrets. */
interface Search {
	forms: string[];
	/** The first characters of all forms, which make the search faster. */
	firstCharacters: Set<string>;
	/** The length of the longest form of a secret. */
	longest: number;
}

/** The prepared data of each list of secrets. An entry disappears together with its list. */
const searches = new WeakMap<readonly string[], Search>();

function searchFor(secrets: readonly string[]): Search {
	const known = searches.get(secrets);
	if (known) return known;
	const forms = [...new Set(secrets.filter((s) => s.length >= MIN_LENGTH).flatMap(formsOf))];
	const search = {
		forms,
		firstCharacters: new Set(forms.map((form) => form.charAt(0))),
		longest: Math.max(0, ...forms.map((form) => form.length)),
	};
	searches.set(secrets, search);
	return search;
}

/** Finds the ranges of secrets in a text whose escape sequences are not decoded. */
type Finder = (text: string) => Span[];

const formFinder =
	({ forms }: Search): Finder =>
	(text) => {
		const spans: Span[] = [];
		for (const form of forms) {
			for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
				spans.push([at, at + form.length]);
			}
		}
		return spans;
	};

function findFileTokens(text: string): Span[] {
	return [...text.matchAll(FILE_LINK)].map(({ index, 0: link, 1: before = '' }) => [
		index + before.length,
		index + link.length,
	]);
}

/**
 * Finds the ranges of secrets in a text, in no particular order. A range includes the escape
 * sequences of the secret.
 */
function spansIn(text: string, find: Finder, level = 0): Span[] {
	const spans = find(text);
	const plain = level < MAX_LEVELS ? decode(text) : text;
	if (plain === text) return spans;
	const inside = spansIn(plain, find, level + 1);
	if (inside.length === 0) return spans;
	const sourceOf = sourceMap(text);
	return [
		...spans,
		...inside.map(([start, end]): Span => [sourceOf(start)[0], sourceOf(end - 1)[1]]),
	];
}

/**
 * Maps positions in the decoded text to the original text.
 *
 * @returns a function from a position in the decoded text to its range in the original text
 */
function sourceMap(text: string): (position: number) => Span {
	const escapes: Array<{ at: number; until: number; source: Span }> = [];
	let shorter = 0;
	for (const { index, 0: escape } of text.matchAll(ESCAPE)) {
		const at = index - shorter;
		const until = at + characterOf(escape).length;
		const end = index + escape.length;
		escapes.push({ at, until, source: [index, end] });
		shorter = end - until;
	}
	return (position) => {
		let [low, high] = [0, escapes.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (escapes[middle]!.at <= position) low = middle + 1;
			else high = middle;
		}
		const before = escapes[low - 1];
		if (!before) return [position, position + 1];
		if (position < before.until) return before.source;
		const start = before.source[1] + position - before.until;
		return [start, start + 1];
	};
}

/** Replaces ranges of a text with `[redacted]`. The ranges may overlap. */
function replaceRanges(text: string, spans: Span[]): string {
	if (spans.length === 0) return text;
	const parts: string[] = [];
	let [start, end] = [0, 0];
	for (const [from, to] of [
		...spans.sort((a, b) => a[0] - b[0]),
		[text.length, text.length],
	] as Span[]) {
		if (from < end) end = Math.max(end, to);
		else {
			if (end > start) parts.push(REDACTED);
			parts.push(text.slice(end, from));
			[start, end] = [from, to];
		}
	}
	return parts.join('');
}

/**
 * Redacts secrets in a value that the platform has sent, so that n8n does not store them. It
 * searches texts, numbers and the keys of objects. It finds a secret as plain text, in hex, in
 * base64 (also as part of a longer encoded text) and in escape sequences of JSON, URLs and HTML,
 * with up to four nested encodings. It also redacts the tokens of links to files of n8n.
 *
 * @param secrets the secrets as plain text. Very short secrets are not redacted. Passing the same
 * list again is faster.
 * @returns a copy
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const findForms = formFinder(searchFor(secrets));
	const find = (text: string) => [...findForms(text), ...findFileTokens(text)];
	const clean = (text: string) => replaceRanges(text, spansIn(text, find));
	const walk = (part: unknown, depth = 0): unknown => {
		if (depth > MAX_DEPTH) return REDACTED;
		if (typeof part === 'string') return clean(part);
		if (typeof part === 'number') {
			const text = String(part);
			return text.length < MIN_LENGTH || clean(text) === text ? part : REDACTED;
		}
		if (Array.isArray(part)) return part.map((item) => walk(item, depth + 1));
		if (typeof part !== 'object' || part === null) return part;
		return Object.fromEntries(
			Object.entries(part).map(([key, of]) => [clean(key), walk(of, depth + 1)]),
		);
	};
	return walk(value) as T;
}

/**
 * Redacts a text that arrives in pieces. A secret may be divided between pieces. The end of a piece
 * is held back if it may be the beginning of a secret.
 */
export class PiecewiseRedaction {
	private heldBack = '';

	constructor(private readonly secrets: readonly string[]) {}

	/**
	 * Adds a piece.
	 *
	 * @returns the redacted text that has become certain, without the part that is held back
	 */
	add(piece: string): string {
		const search = searchFor(this.secrets);
		const text = this.heldBack + piece;
		const spans = spansIn(text, formFinder(search));
		let start = search.forms.length > 0 ? partialSecretAt(text, search) : text.length;
		for (const [from, to] of spans) if (from < start && start < to) start = to;
		this.heldBack = text.slice(start);
		return replaceRanges(
			text.slice(0, start),
			spans.filter(([, to]) => to <= start),
		);
	}

	/**
	 * Ends the text. It must be called after the last piece.
	 *
	 * @returns the part that was held back
	 */
	end(): string {
		const rest = redact(this.heldBack, this.secrets);
		this.heldBack = '';
		return rest;
	}
}

/**
 * The position in a text from which the rest may be the beginning of a secret. If there is no such
 * position, the length of the text.
 */
function partialSecretAt(text: string, search: Search, level = 0): number {
	const unfinished = UNFINISHED_ESCAPE.exec(text.slice(-MAX_UNFINISHED));
	const end = unfinished ? text.length - unfinished[0].length : text.length;
	const closed = text.slice(0, end);
	const here = partialFormAt(closed, search);
	const plain = level < MAX_LEVELS ? decode(closed) : closed;
	if (plain === closed) return Math.min(here, end);
	const inside = partialSecretAt(plain, search, level + 1);
	return Math.min(here, end, inside < plain.length ? sourceMap(closed)(inside)[0] : end);
}

function partialFormAt(text: string, { forms, firstCharacters: firsts, longest }: Search): number {
	for (let start = Math.max(0, text.length - longest); start < text.length; start++) {
		if (!firsts.has(text.charAt(start))) continue;
		const end = text.slice(start);
		if (forms.some((form) => form.length > end.length && form.startsWith(end))) return start;
	}
	return text.length;
}
