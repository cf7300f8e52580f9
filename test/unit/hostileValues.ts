/** Texts and values that no user, platform or sender should send, for every function that may get them. */

export const SECRET = 's3cret/that+stays==0123456789';
export const TOKEN = 'tok-that-stays-0123456789-abcdef';

/** At this length, code takes seconds if its time is quadratic, and no measurable time if it is linear. */
const LONG = 40_000;

const long = [
	...[' ', '\n', '/', '\\', '(', '"', ', ', '#a', '.', '9', 'a', '%41', '{{', '[', '\u0000', '中'],
	...['\ud83d', 't=1,', 'v1,', ' a', 'rate '],
].map((piece) => `${piece.repeat(LONG / piece.length)}!`);

/** Short texts, because fast-check prints the values of a failed run. */
export const words = [
	...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'],
	...['', ' ', '\n', '\u0000', '\ud800', '\u202e', '\ufeff', 'null', 'undefined', 'NaN', 'true'],
	...['-0', '1e999', '9'.repeat(5000), '0x10', '١٢٣', '1_000', '12345678901234567890', '08'],
	...['{', '[', '"', "'", '`', '${1}', '{{ $json }}', '={{ 1 }}', '<script>', '\r\nX-Injected: 1'],
	...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '[[]]'],
	...['../../etc/passwd', 'a'.repeat(300), '$&', '$1', '\\u0000', '%00', '{secret}', '{body}'],
];

/** Texts, some of them long enough to reveal code that takes more than linear time. */
export const texts: string[] = [...words, ...long];

/** Returns nested JSON. With enough levels, a recursive function exceeds the stack. */
export const deepJson = (levels: number, open = '[', close = ']'): string =>
	open.repeat(levels) + close.repeat(levels);

/** Values other than texts that expressions can return. */
export const values: unknown[] = [
	...[null, undefined, true, false, 0, -0, NaN, Infinity, -1, 1.5, 2 ** 53, 1e308, 5e-324],
	...[[], {}, [[]], [null], [undefined], [''], [{}], [[['a']]], { url: null }, { url: {} }],
	...[new Date(NaN), new Date(0), /a/, new Map([['a', 1]]), new Set(['a']), 12n, Symbol('s')],
	...[() => 'a', class A {}, Object.create(null), { toString: null }, { toISO: () => 'x' }],
	...[JSON.parse('{"__proto__":{"polluted":1}}'), JSON.parse('[{"constructor":{"prototype":{}}}]')],
	...[{ length: 1e9 }, { then: (done: () => void) => done() }, new Proxy({}, {}), Buffer.from('a')],
	Array.from({ length: 2_000 }, (_, index) => index),
	JSON.parse(deepJson(300)),
];

/** Much longer than linear code takes, and much shorter than quadratic code takes. */
const LIMIT_MS = 1_000;

/**
 * Runs a task and fails if it uses too much CPU time. Calls `expect` only then, because this runs
 * many thousands of times and `expect` takes longer than most tasks.
 */
export function withinTimeLimit<T>(task: () => T, limitMs = LIMIT_MS): T {
	const from = performance.now();
	const started = process.cpuUsage();
	const result = task();
	if (performance.now() - from >= limitMs) {
		expect(process.cpuUsage(started).user / 1_000).toBeLessThan(limitMs);
	}
	return result;
}

const forms = [SECRET, TOKEN].flatMap((secret) => {
	const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
	return [secret, base64, encodeURIComponent(secret)];
});

/** Expects that the text of an error, or the JSON of a value, contains no secret. */
export function expectNoSecret(shown: unknown): void {
	const text = shown instanceof Error ? `${shown.message}\n${shown.stack}` : JSON.stringify(shown);
	const found = forms.filter((form) => text?.includes(form));
	if (found.length > 0) expect(text).not.toContain(found[0]);
}

const before = JSON.stringify(Reflect.ownKeys(Object.prototype).map(String));

// No value may change `Object.prototype`.
afterEach(() => {
	expect(JSON.stringify(Reflect.ownKeys(Object.prototype).map(String))).toBe(before);
});
