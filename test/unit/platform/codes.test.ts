import {
	explain,
	readRetryAfter,
	waitBefore,
	type RefusalReason,
} from '../../../nodes/SocialOpenPlatform/platform/codes';
import { sentPost } from './sentRequest';

describe('readRetryAfter', () => {
	test.each([
		['0', 0],
		['1', 1000],
		[' 120 ', 120_000],
		['1.5', 1500],
		['0.0001', 1],
	])('reads %p as seconds', (header, ms) => {
		expect(readRetryAfter(header)).toBe(ms);
	});

	test('reads a date as the time from now', () => {
		const ms = readRetryAfter(new Date(Date.now() + 30_000).toUTCString());
		expect(ms).toBeGreaterThan(28_000);
		expect(ms).toBeLessThanOrEqual(30_000);
	});

	test.each([
		...[undefined, '', ' ', '-5', '-1.5', '+5', '1e3', '5 seconds', '1,5', '.5', '5.', 'Infinity'],
		...['Wed, 01 May 2019 12:00:30 GMT', 'Wed, 99 May 2030 12:00:30 GMT'],
	])('ignores %p', (header) => {
		expect(readRetryAfter(header)).toBeUndefined();
	});
});

describe('waitBefore', () => {
	test('returns the requested time', () => {
		expect(waitBefore(61_000, 3, 0.5)).toBe(61_000);
	});

	test.each([0, 900, undefined])(
		'is at least a second, doubles, and ends at a minute: %p',
		(ms) => {
			const waits = [1, 2, 3, 4, 5, 6, 7, 100].map((sends) => waitBefore(ms, sends, 0));
			expect(waits).toStrictEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
		},
	);

	test('differs by up to a half for requests that waited together', () => {
		expect(waitBefore(undefined, 1, 0.2)).toBe(1100);
		expect(waitBefore(undefined, 1, 1)).toBe(1500);
	});
});

describe('explain', () => {
	const settings = { renewalCodes: new Set<number>(), rateLimitCodes: new Set([4711, 1003]) };
	const read = (refusal: RefusalReason) => explain(refusal, { ...sentPost, settings });
	const limit = { cause: 'rate-limited' };

	test('recognizes HTTP 429 and the codes of the credential as rate limits', () => {
		expect(read({ status: 429, code: 1002, message: 'no' })).toMatchObject(limit);
		expect(read({ status: 200, code: 4711 })).toMatchObject(limit);
		expect(read({ status: 200, code: 1003 })).toMatchObject(limit);
		expect(read({ status: 429, code: 'insufficient_quota' })).not.toMatchObject(limit);
		expect(read({ status: 200, code: '4711' })).not.toMatchObject(limit);
	});

	test.each([
		[10106, 'the signature is wrong'],
		[10000, 'the application is unknown or disabled'],
		[2100, 'there is no API endpoint at this address'],
	])('explains the code %i', (code, reading) => {
		expect(read({ status: 200, code }).reading).toContain(reading);
	});

	test.each([
		...['操作过于频繁，请稍后再试', '访问频率超出限制', '请求过快', '接口已限流', '触发速率限制'],
		...['Too many requests', 'Requests come too frequently', 'rate_limit', 'API RATE-LIMIT'],
	])('only advises to wait if a message reads like a rate limit: %p', (message) => {
		const { reading, cause } = read({ status: 200, code: 5017, message });
		expect({ reading, cause }).toStrictEqual({ reading: 'too many requests', cause: undefined });
	});

	test.each([
		...['Too many hashtags', 'The frame rate is above the limit', 'The corporate limit is reached'],
		...['图片数量过多', '请稍后再试', ''],
	])('does not take the message %p for a rate limit', (message) => {
		expect(read({ status: 200, message }).reading).not.toBe('too many requests');
	});
});
