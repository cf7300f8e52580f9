import { encodePairs } from './signature';

const REDACTED = '[redacted]';

/** Shorter ones would turn ordinary text into holes. */
const MIN_LENGTH = 6;

/** Deeper than any answer; a hostile one must not exhaust the stack. */
const MAX_DEPTH = 100;

/** Encodings one inside the other, such as a percent-encoded text in JSON in JSON. */
const MAX_LEVELS = 4;

/** Where something is in a text, the end excluded. */
type Span = [start: number, end: number];

/** JSON and PHP (`\/`, `\u002F`, `\x2F`), URLs (a UTF-8 character, `%2F`) and HTML (`&#47;`, `&amp;`). */
const ESCAPE =
	/\\(?:u[\da-f]{4}|x[\da-f]{2}|.)|%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[\da-f](?:%[89ab][\da-f]){3}|&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos|sol|plus|equals);?/gis;

/** One that the next piece of a text may complete. */
const BEGUN_ESCAPE =
	/(?:\\+(?:u[\da-f]{0,3}|x[\da-f]?)?|%[\da-f]?|%[c-f][\da-f](?:%[89ab]?[\da-f]?){0,3}|&(?:#x?[\da-f]{0,7}|[a-z]{0,6}))$/i;

/** Longer than any of them, but for backslashes without end. */
const BEGUN_LENGTH = 64;

const named: Record<string, string> = {
	...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", sol: '/', plus: '+', equals: '=' },
};
const control: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The character of an escape; the escape itself where it has none. */
function meaningOf(escape: string): string {
	if (escape.startsWith('%')) return percentDecoded(escape);
	if (escape.startsWith('\\')) {
		if (escape.length > 2) return String.fromCharCode(parseInt(escape.slice(2), 16));
		return control[escape.charAt(1)] ?? escape.slice(1);
	}
	const name = escape.slice(1).replace(';', '').toLowerCase();
	if (!name.startsWith('#')) return named[name] ?? escape;
	const point = name.startsWith('#x') ? parseInt(name.slice(2), 16) : Number(name.slice(1));
	return point <= 0x10ffff ? String.fromCodePoint(point) : escape;
}

function percentDecoded(escape: string): string {
	if (escape.length === 3) return String.fromCharCode(parseInt(escape.slice(1), 16));
	try {
		return decodeURIComponent(escape);
	} catch {
		return escape;
	}
}

const mayHoldEscapes = (text: string) => /[\\%&]/.test(text);
const decoded = (text: string) =>
	mayHoldEscapes(text) ? text.replace(ESCAPE, (escape) => meaningOf(escape)) : text;

/** Ways to write a secret before it is encoded as a whole. */
function spellings(secret: string): string[] {
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
 * The characters of base64 that hold nothing but the secret, wherever it begins in the encoded text:
 * three bytes are four characters.
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

/** The texts by which a secret is found, once escapes are decoded. */
function formsOf(secret: string): string[] {
	const written = [secret];
	// A secret may itself look like an escape.
	for (let level = 0; level < MAX_LEVELS; level++) written.push(decoded(written.at(-1)!));
	written.push(secret.replaceAll(' ', '+'));
	const encoded = spellings(secret).flatMap((spelling) => {
		const bytes = Buffer.from(spelling);
		const hex = bytes.toString('hex');
		return [hex, hex.toUpperCase(), ...base64Forms(bytes)];
	});
	return [...written, ...encoded].filter((form) => form.length >= MIN_LENGTH);
}

/** What is looked for. */
interface Wanted {
	forms: string[];
	/** How they begin. */
	firsts: Set<string>;
	longest: number;
}

/** By the very list of secrets, so that nothing here keeps them longer than their owner does. */
const known = new WeakMap<readonly string[], Wanted>();

function wantedOf(secrets: readonly string[]): Wanted {
	const before = known.get(secrets);
	if (before) return before;
	const forms = [...new Set(secrets.filter((s) => s.length >= MIN_LENGTH).flatMap(formsOf))];
	const wanted = {
		forms,
		firsts: new Set(forms.map((form) => form.charAt(0))),
		longest: Math.max(0, ...forms.map((form) => form.length)),
	};
	known.set(secrets, wanted);
	return wanted;
}

/** Where secrets are in a text, in no order, with the escapes that they are written in. */
function spansIn(text: string, wanted: Wanted, level = 0): Span[] {
	const spans: Span[] = [];
	for (const form of wanted.forms) {
		for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
			spans.push([at, at + form.length]);
		}
	}
	const plain = level < MAX_LEVELS ? decoded(text) : text;
	if (plain === text) return spans;
	const inside = spansIn(plain, wanted, level + 1);
	if (inside.length === 0) return spans;
	const sourceOf = sourceIn(text);
	return [
		...spans,
		...inside.map(([start, end]): Span => [sourceOf(start)[0], sourceOf(end - 1)[1]]),
	];
}

/** Tells from a position in the decoded text which part of the text it comes from. */
function sourceIn(text: string): (position: number) => Span {
	const escapes: Array<{ at: number; until: number; source: Span }> = [];
	let shorter = 0;
	for (const { index, 0: escape } of text.matchAll(ESCAPE)) {
		const at = index - shorter;
		const until = at + meaningOf(escape).length;
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

/** The text without what is in these places, which may overlap. */
function without(text: string, spans: Span[]): string {
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
 * Takes secrets out of a value that came from the platform, keys included, so that nothing it echoes
 * is stored with an execution. They are found in clear, in hex, in base64 also of a longer text, and
 * in escapes of JSON, URLs and HTML, up to four of them one inside the other. The value itself is left
 * as it is.
 *
 * @param secrets in clear; very short ones are not looked for. A list that is used again is faster
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const wanted = wantedOf(secrets);
	const clean = (text: string) => without(text, spansIn(text, wanted));
	const walk = (part: unknown, depth = 0): unknown => {
		if (depth > MAX_DEPTH) return REDACTED;
		if (typeof part === 'string') return clean(part);
		if (Array.isArray(part)) return part.map((item) => walk(item, depth + 1));
		if (typeof part !== 'object' || part === null) return part;
		return Object.fromEntries(
			Object.entries(part).map(([key, of]) => [clean(key), walk(of, depth + 1)]),
		);
	};
	return walk(value) as T;
}

/**
 * The same for a text that comes in pieces, between which a secret may be divided. What could be the
 * beginning of one is held back until the next piece tells.
 */
export class PiecewiseRedaction {
	private heldBack = '';

	constructor(private readonly secrets: readonly string[]) {}

	/** @returns what can be shown by now */
	add(piece: string): string {
		const wanted = wantedOf(this.secrets);
		const text = this.heldBack + piece;
		const spans = spansIn(text, wanted);
		let start = wanted.forms.length > 0 ? beginningOfSecret(text, wanted) : text.length;
		for (const [from, to] of spans) if (from < start && start < to) start = to;
		this.heldBack = text.slice(start);
		return without(
			text.slice(0, start),
			spans.filter(([, to]) => to <= start),
		);
	}

	/** @returns what was held back, once nothing more comes */
	end(): string {
		const rest = redact(this.heldBack, this.secrets);
		this.heldBack = '';
		return rest;
	}
}

/** Where the end of a text begins that could go on as one of the forms; its length where none could. */
function beginningOfSecret(text: string, wanted: Wanted, level = 0): number {
	const begun = BEGUN_ESCAPE.exec(text.slice(-BEGUN_LENGTH));
	const end = begun ? text.length - begun[0].length : text.length;
	const closed = text.slice(0, end);
	const here = literalBeginning(closed, wanted);
	const plain = level < MAX_LEVELS ? decoded(closed) : closed;
	if (plain === closed) return Math.min(here, end);
	const inside = beginningOfSecret(plain, wanted, level + 1);
	return Math.min(here, end, inside < plain.length ? sourceIn(closed)(inside)[0] : end);
}

function literalBeginning(text: string, { forms, firsts, longest }: Wanted): number {
	for (let start = Math.max(0, text.length - longest); start < text.length; start++) {
		if (!firsts.has(text.charAt(start))) continue;
		const end = text.slice(start);
		if (forms.some((form) => form.length > end.length && form.startsWith(end))) return start;
	}
	return text.length;
}
