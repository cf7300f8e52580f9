import { DateTime } from 'luxon';
import { readPublishTime, toPostDate } from '../../../nodes/SocialOpenPlatform/post/publishTime';
import { texts, withinTimeLimit } from '../hostileValues';

const BERLIN = 'Europe/Berlin';
const sent = (value: unknown, zone = BERLIN) => {
	const time = readPublishTime(value, zone);
	return time && toPostDate(time);
};

describe('readPublishTime', () => {
	test.each([
		['ISO without an offset', '2026-12-01T09:30:00', '2026-12-01T09:30:00+01:00'],
		['ISO without seconds', '2026-12-01T09:30', '2026-12-01T09:30:00+01:00'],
		['the SQL format, as used by WordPress', '2026-12-01 09:30:00', '2026-12-01T09:30:00+01:00'],
		['a date without a time', '2026-12-01', '2026-12-01T00:00:00+01:00'],
		['a time between spaces', ' 2026-12-01T09:30 ', '2026-12-01T09:30:00+01:00'],
	])('reads %s in the time zone of the workflow', (_, value, expected) => {
		expect(sent(value)).toBe(expected);
		expect(sent(value, 'UTC')).toBe(expected.replace('+01:00', '+00:00'));
	});

	test.each([
		['2026-12-01T09:30:00Z', '2026-12-01T09:30:00+00:00'],
		['2026-12-01T09:30-0330', '2026-12-01T09:30:00-03:30'],
		['2026-12-01 09:30:00 +08:00', '2026-12-01T09:30:00+08:00'],
	])('keeps the offset of %s', (value, expected) => {
		expect(sent(value)).toBe(expected);
	});

	test.each([
		...['BST', 'IST', 'EST', 'CET', 'Europe/London', '[Asia/Tokyo]', '+02:00[CET]'].map(
			(zone) => `2026-12-01 09:30 ${zone}`,
		),
		'Tue, 01 Dec 2026 09:30:00 GMT',
	])('refuses %s, because only an offset names one time', (value) => {
		expect(sent(value)).toBeUndefined();
	});

	test('reads UTC and GMT as an offset', () => {
		for (const zone of ['UTC', 'GMT', 'Z']) {
			expect(sent(`2026-12-01 09:30:00 ${zone}`)).toBe('2026-12-01T09:30:00+00:00');
		}
	});

	test.each([
		['milliseconds since 1970', 1796113800000],
		['seconds since 1970', 1796113800],
		['seconds since 1970 as text', '1796113800'],
	])('reads %s as an instant', (_, value) => {
		expect(sent(value)).toBe('2026-12-01T09:30:00+01:00');
	});

	test.each([
		[1796113800.5, '2026-12-01T09:30:00+01:00'],
		[1796113800500, '2026-12-01T09:30:00+01:00'],
		// Seconds since 1970 have the digits of a compact date from 2033 to 2036, mostly of an invalid one.
		[2000000000, '2033-05-18T05:33:20+02:00'],
		['20261231', '2026-12-31T00:00:00+01:00'],
		[20261231, '2026-12-31T00:00:00+01:00'],
		['20261231T1830', '2026-12-31T18:30:00+01:00'],
	])('reads the digits %j as %s', (value, expected) => {
		expect(sent(value)).toBe(expected);
	});

	test.each([
		'2026123118',
		'202612311800',
		'20261231180000',
		'20261231180000000',
		'0',
		'99999999999',
	])('refuses the digits %s as text and as a number', (digits) => {
		expect(sent(digits)).toBeUndefined();
		expect(sent(Number(digits))).toBeUndefined();
	});

	test('reads only times with an offset when the time zone is not known', () => {
		for (const zone of ['Mars/Phobos', '', ' Europe/Berlin']) {
			expect(sent('2026-12-01T09:30:00', zone)).toBeUndefined();
			expect(sent('2026-12-01T09:30:00+02:00', zone)).toBe('2026-12-01T09:30:00+02:00');
		}
	});

	test('reads a JavaScript date in UTC', () => {
		expect(sent(new Date(1796113800000))).toBe('2026-12-01T08:30:00+00:00');
	});

	test('keeps the zone of a Luxon date', () => {
		const value = DateTime.fromISO('2026-12-01T09:30:00', { zone: 'Asia/Shanghai' });
		expect(sent(value)).toBe('2026-12-01T09:30:00+08:00');
	});

	test.each([
		['2027-03-28T02:30:00', BERLIN, '2027-03-28T03:30:00+02:00'],
		['2026-10-25T02:30:00', BERLIN, '2026-10-25T02:30:00+02:00'],
		['2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-04T02:45:00+11:00'],
		['2027-04-04T01:45:00', 'Australia/Lord_Howe', '2027-04-04T01:45:00+11:00'],
		['2011-12-30T12:00:00', 'Pacific/Apia', '2011-12-31T12:00:00+14:00'],
	])('reads %s in %s as %s', (value, zone, expected) => {
		expect(sent(value, zone)).toBe(expected);
	});

	test('quickly reads or refuses any text', () => {
		for (const text of texts) {
			for (const whole of [text, `2026-01-01T${text}`, `${text}Z`]) {
				withinTimeLimit(() => readPublishTime(whole, BERLIN));
			}
		}
	});

	test.each([
		['', 'tomorrow', '2026-13-01', '2026-02-30', '12345', '+012026-01-01', 'NaN'],
		['23:00', '2030', '2030-01', '2030-W01-1', '2026-12-01T09:30:00+99:00'],
		[null, undefined, true, {}, [], NaN, Infinity, -Infinity, new Date(NaN), 1e15, { toISO: 1 }],
	])('refuses values such as %j', (...values) => {
		for (const value of values) expect(sent(value)).toBeUndefined();
	});
});
