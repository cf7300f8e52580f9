import fc from 'fast-check';
import {
	isRateLimited,
	readRetryAfter,
	waitBefore,
} from '../../../nodes/SocialOpenPlatform/platform/codes';

describe('readRetryAfter', () => {
	const now = new Date('2030-05-01T12:00:00.250Z');
	const read = (header?: string) => readRetryAfter(header, now);

	test.each([
		['0', 0],
		['1', 1000],
		[' 120 ', 120_000],
		['1.5', 1500],
		['0.0001', 1],
	])('reads %p as seconds', (header, ms) => {
		expect(read(header)).toBe(ms);
	});

	test('reads a date as the time from now', () => {
		expect(read('Wed, 01 May 2030 12:00:30 GMT')).toBe(29_750);
		expect(read('Wednesday, 01-May-30 12:00:30 GMT')).toBe(29_750);
	});

	test('returns 0 for a date in the past', () => {
		expect(read('Wed, 01 May 2030 11:59:59 GMT')).toBe(0);
		expect(read('Wed, 01 May 2030 12:00:00 GMT')).toBe(0);
		expect(read('Fri, 31 Dec 1999 23:59:59 GMT')).toBe(0);
	});

	test("reads a date by the platform's clock if the response has a Date header", () => {
		const date = 'Wed, 01 May 2030 10:00:00 GMT';
		expect(readRetryAfter('Wed, 01 May 2030 10:00:30 GMT', now, date)).toBe(30_000);
		expect(readRetryAfter('Wed, 01 May 2030 12:00:30 GMT', now, 'soon')).toBe(29_750);
		expect(readRetryAfter('7', now, date)).toBe(7_000);
	});

	test.each([
		undefined,
		'',
		' ',
		'-5',
		'-1.5',
		'+5',
		'1e3',
		'0x10',
		'5 seconds',
		'1,5',
		'.5',
		'5.',
		'soon',
		'May',
		'NaN',
		'Infinity',
		'2030-05-01T12:00:30Z',
		'Wed, 99 May 2030 12:00:30 GMT',
	])('ignores %p', (header) => {
		expect(read(header)).toBeUndefined();
	});

	test('never returns a negative time', () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.string(), fc.date().map(String), fc.double().map(String)),
				(header) => {
					const ms = read(header);
					expect(ms === undefined || ms >= 0).toBe(true);
				},
			),
		);
	});
});

describe('waitBefore', () => {
	const random = fc.double({ min: 0, max: 1, noNaN: true });
	const sends = fc.integer({ min: 1, max: 10 });

	test('returns the requested time', () => {
		expect(waitBefore(61_000, 3, 0.5)).toBe(61_000);
		expect(waitBefore(0, 1, 0.5)).toBe(0);
	});

	test('doubles the wait each time, up to a minute, if no time is requested', () => {
		const longest = (times: number) => waitBefore(undefined, times, 1);
		expect([1, 2, 3, 4, 5, 6, 7, 8, 100].map(longest)).toStrictEqual([
			...[1000, 2000, 4000, 8000, 16_000, 32_000],
			...[60_000, 60_000, 60_000],
		]);
	});

	test('returns whole milliseconds between half of the wait and all of it', () => {
		fc.assert(
			fc.property(sends, random, (times, chance) => {
				const [ms, least, most] = [chance, 0, 1].map((at) => waitBefore(undefined, times, at));
				expect(Number.isInteger(ms)).toBe(true);
				expect(least).toBe(most! / 2);
				expect(ms).toBeGreaterThanOrEqual(least!);
				expect(ms).toBeLessThanOrEqual(most!);
			}),
		);
	});

	test('returns different waits for requests that waited together', () => {
		expect(waitBefore(undefined, 1, 0.2)).not.toBe(waitBefore(undefined, 1, 0.9));
	});
});

describe('isRateLimited', () => {
	const codes = new Set([429, 4711]);

	test('recognizes HTTP 429 with any code and message', () => {
		expect(isRateLimited({ status: 429 }, new Set())).toBe(true);
		expect(isRateLimited({ status: 429, code: 1002, message: 'no' }, new Set())).toBe(true);
	});

	test('recognizes only the codes of the credential', () => {
		expect(isRateLimited({ status: 200, code: 4711 }, codes)).toBe(true);
		expect(isRateLimited({ status: 200, code: 4712 }, codes)).toBe(false);
		expect(isRateLimited({ status: 200, code: '4711' }, codes)).toBe(false);
		expect(isRateLimited({ status: 200, code: 429 }, new Set())).toBe(false);
	});

	test.each([
		...['操作过于频繁，请稍后再试', '请求过于频繁', '访问频率超出限制', '请求过快', '接口已限流'],
		...['您的账户已达到速率限制，请您控制请求频率', '触发速率限制'],
		...['Too many requests', 'too many requests, slow down', 'Requests come too frequently'],
		...['Rate limit exceeded', 'rate_limit', 'RATE-LIMITED', 'API rate limit reached'],
	])('recognizes the message %p', (message) => {
		expect(isRateLimited({ status: 200, message }, codes)).toBe(true);
	});

	test.each([
		...['Too many hashtags', 'too many media files', 'The frame rate is above the limit'],
		...['图片数量过多', '账号不存在', '请稍后再试', 'The corporate limit is reached', ''],
	])('does not recognize the message %p', (message) => {
		expect(isRateLimited({ status: 200, message }, codes)).toBe(false);
	});

	test.each([1003, 2100, 10108])(
		'does not recognize any message with the code %i, which has another meaning',
		(code) => {
			const messages = ['标题包含敏感词：限流', '操作过于频繁', 'Too many requests'];
			for (const message of messages) {
				expect(isRateLimited({ status: 200, code, message }, codes)).toBe(false);
			}
			expect(isRateLimited({ status: 200, code, message: '限流' }, new Set([code]))).toBe(true);
		},
	);

	test('recognizes a clear message with an unknown code', () => {
		const says = (message: string) => isRateLimited({ status: 200, code: 5017, message }, codes);
		expect(says('操作过于频繁，请稍后再试')).toBe(true);
		expect(says('标题包含敏感词：限流')).toBe(false);
	});

	test('does not recognize a refusal without a message', () => {
		expect(isRateLimited({ status: 400 }, codes)).toBe(false);
	});
});
