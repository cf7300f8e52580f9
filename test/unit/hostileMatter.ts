import { basename } from 'node:path';
import fc from 'fast-check';

/** What nobody should enter, answer or deliver, for whatever takes texts and values from outside. */

export const SECRET = 's3cret/that+stays==0123456789';
export const TOKEN = 'tok-that-stays-0123456789-abcdef';

/** At this length what takes quadratic time takes seconds, and what takes linear time none. */
const LONG = 40_000;

const long = [
	...[' ', '\t', '\n', '\r\n', '/', '\\', '(', '()', '"', '\\"', ',', ', ', '=', '#', '#a', '@'],
	...['.', '..', '-', '0', '9', '1e', 'a', 'A1', '%', '%2', '%41', '{', '{{', '[', '\u0000', '中'],
	...['👩‍👩‍👧', '\ud83d', '\udc00', 'ʼ', 't=1,', 'v1=', 'v1,', 'sha256=', ' a', '频率', 'rate '],
].flatMap((piece) => [piece.repeat(LONG / piece.length), `${piece.repeat(LONG / piece.length)}!`]);

/** Short ones; fast-check prints what it ends with. */
export const words = [
	...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'],
	...['', ' ', '\n', '\u0000', '\ud800', '\u202e', '\ufeff', 'null', 'undefined', 'NaN', 'true'],
	...['-0', '1e999', '9'.repeat(5000), '0x10', '١٢٣', '1_000', '12345678901234567890', '08'],
	...['{', '[', '"', "'", '`', '${1}', '{{ $json }}', '={{ 1 }}', '<script>', '\r\nX-Injected: 1'],
	...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '[[]]'],
	...['../../etc/passwd', 'a'.repeat(300), '$&', '$1', '\\u0000', '%00', '{secret}', '{body}'],
];

/** Texts, some of them long enough that whatever takes more than linear time is noticed. */
export const texts: string[] = [...words, ...long];

/** JSON so deep that a function which calls itself for each level runs out of stack. */
export const deepJson = (levels: number, open = '[', close = ']'): string =>
	open.repeat(levels) + close.repeat(levels);

function cyclic(): object {
	const self: Record<string, unknown> = { text: 'a' };
	self.self = [self];
	return self;
}

/** What expressions can give beside texts. */
export const values: unknown[] = [
	...[null, undefined, true, false, 0, -0, NaN, Infinity, -1, 1.5, 2 ** 53, 1e308, 5e-324],
	...[[], {}, [[]], [null], [undefined], [''], [{}], [[['a']]], { url: null }, { url: {} }],
	...[new Date(NaN), new Date(0), /a/, new Map([['a', 1]]), new Set(['a']), 12n, Symbol('s')],
	...[
		() => 'a',
		class A {},
		Object.create(null),
		{ toString: null },
		{ toISO: () => 'x' },
		cyclic(),
	],
	...[JSON.parse('{"__proto__":{"polluted":1}}'), JSON.parse('[{"constructor":{"prototype":{}}}]')],
	...[{ length: 1e9 }, { then: (done: () => void) => done() }, new Proxy({}, {}), Buffer.from('a')],
	Array.from({ length: 5_000 }, (_, index) => index),
	JSON.parse(deepJson(300)),
];

/** Any of all that, now and then with something of fast-check's own. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 2, arbitrary: fc.constantFrom<unknown>(...words, ...values) },
	{ weight: 1, arbitrary: fc.anything({ withNullPrototype: true, withDate: true, maxDepth: 3 }) },
	{ weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);

/** Far above what anything here takes, and far below what a blow-up takes. */
const BOUND_MS = 1_000;

/** What a file has done with all this. */
const numbers = { deeds: 0, slowestMs: 0, searches: 0 };

/**
 * Does it, and makes sure that it did not keep the processor busy for long. This runs many thousand
 * times, and each call of `expect` costs more than most of what is measured.
 */
export function swiftly<T>(deed: () => T, boundMs = BOUND_MS): T {
	const started = process.cpuUsage();
	const result = deed();
	const tookMs = process.cpuUsage(started).user / 1_000;
	numbers.deeds++;
	numbers.slowestMs = Math.max(numbers.slowestMs, Math.round(tookMs));
	if (tookMs >= boundMs) expect(tookMs).toBeLessThan(boundMs);
	return result;
}

/** The same, for what may refuse by an error of these kinds and by no other. */
export function orRefusal<T>(
	deed: () => T,
	...kinds: Array<new (...all: never[]) => Error>
): { value?: T; refusal?: Error } {
	return swiftly(() => {
		try {
			return { value: deed() };
		} catch (error) {
			if (!kinds.some((kind) => error instanceof kind)) throw error;
			return { refusal: error as Error };
		}
	});
}

const forms = [SECRET, TOKEN].flatMap((secret) => {
	const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
	return [secret, base64, encodeURIComponent(secret)];
});

/** What can be shown of it holds no secret. */
export function expectNoSecret(shown: unknown): void {
	numbers.searches++;
	const text = shown instanceof Error ? `${shown.message}\n${shown.stack}` : JSON.stringify(shown);
	const found = forms.filter((form) => text?.includes(form));
	if (found.length > 0) expect(text).not.toContain(found[0]);
}

const before = JSON.stringify(Reflect.ownKeys(Object.prototype).map(String));

/** Nothing has found its way into what all objects inherit. */
export function expectUnpolluted(): void {
	expect(JSON.stringify(Reflect.ownKeys(Object.prototype).map(String))).toBe(before);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

afterEach(expectUnpolluted);

afterAll(() => {
	const file = basename(expect.getState().testPath!, '.test.ts');
	process.stdout.write(`• ${file}: ${JSON.stringify(numbers)}\n`);
});
