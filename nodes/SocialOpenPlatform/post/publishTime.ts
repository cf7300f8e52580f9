import { DateTime } from 'luxon';
import { isNothing, quote } from '../items/values';
import type { FieldReader } from './readers';

const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Matches a Unix time in seconds or milliseconds. {@link readPublishTime} refuses one that is more
 * than ten years ahead.
 */
const UNIX_TIME = /^(\d{10}|\d{13})(\.\d+)?$/;

/** Matches a date and an hour, such as 2026123118, which must not be read as Unix time. */
const COMPACT_HOUR = /^20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-4])$/;

/** Matches a date with an optional time and offset, as in ISO 8601 and SQL. */
const ISO =
	/^(\d{4}-?\d\d-?\d\d)(?:[T ]([\d:.,]+))? *(Z|UTC|GMT|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?$/i;

/**
 * Reads the date formats that n8n provides: ISO 8601 and SQL strings with or without an offset,
 * Luxon and JavaScript dates, and Unix time as a number or a string (ten digits are seconds,
 * thirteen are milliseconds). Eight digits are a date (20261231). Ten digits that look like a date
 * and an hour (2026123118) are refused.
 *
 * A time without an offset is local time in `timezone`. If the clocks skip this time, it is moved
 * forward by the skipped period. If it occurs twice, the first occurrence is used (RFC 5545,
 * section 3.3.5).
 *
 * @param timezone IANA name. If Luxon does not know it, only times with an offset are accepted.
 * @returns undefined if the value is not a date, or is refused
 */
export function readPublishTime(value: unknown, timezone: string): DateTime | undefined {
	const at = parse(value, timezone);
	return at?.isValid ? at : undefined;
}

function parse(given: unknown, timezone: string): DateTime | undefined {
	// Luxon and JavaScript dates are converted to ISO 8601 strings. Their class is not checked,
	// because a date may come from another copy of Luxon.
	const { toJSON } = Object(given) as Partial<DateTime>;
	const value: unknown = typeof toJSON === 'function' ? toJSON.call(given) : given;
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	const [, unixTime] = UNIX_TIME.exec(text) ?? [];
	if (unixTime && !COMPACT_HOUR.test(text)) {
		const instant = Number(text) * (unixTime.length === 10 ? 1000 : 1);
		return instant < Date.now() + 10 * YEAR_MS ? atInstant(instant, timezone) : undefined;
	}
	const iso = ISO.exec(text);
	if (!iso) return undefined;
	const [, date, time = '00:00', offset = ''] = iso;
	const [first] = DateTime.fromISO(
		`${date}T${time}${offset.replace(/[A-Z]+/i, 'Z')}`,
		offset ? { setZone: true } : { zone: timezone },
	)
		.getPossibleOffsets()
		.sort((a, b) => a.toMillis() - b.toMillis());
	return first;
}

function atInstant(instant: number, timezone: string): DateTime {
	return DateTime.fromMillis(instant, { zone: timezone, locale: 'en' });
}

const IS_NOW = "is the current time or earlier; to publish now, set 'Publish Time' to Now";

/** Formats a time as ISO 8601 with seconds and a numeric offset, as in the platform's interface. */
export function toPostDate(at: DateTime) {
	return at.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ");
}

/**
 * Returns an issue if a publish time is in the past. A post may wait for a rate limit, so its time
 * is checked again before it is sent.
 *
 * @param date the time as in `post_date`
 * @param timezone the workflow's time zone, which the issue mentions
 * @param now Unix time in milliseconds
 */
export function pastTime(date: string, timezone: string, now = Date.now()) {
	if (Date.parse(date) >= now) return undefined;
	return `is in the past: it was understood as ${date}; the workflow's time zone is ${timezone}`;
}

/**
 * Reads *Publish At*. A value that is not a time is reported as an issue, because a scheduled post
 * must never be sent without its time.
 */
export const readPublishAt: FieldReader = (given, { now, timezone }, raw) => {
	const at = readPublishTime(given, timezone);
	if (at) {
		const value = toPostDate(at);
		const left = at.toMillis() - now;
		// `$now` is evaluated a moment before this check, so its time is already in the past.
		if (left < 0 && String(raw).includes('$now')) return { value, issue: IS_NOW };
		const warnings =
			left > YEAR_MS ? [`is more than a year ahead: it was understood as ${value}`] : [];
		return { value, issue: pastTime(value, timezone, now), warnings };
	}
	const what = isNothing(given) ? 'is empty' : `(${quote(given)}) is not a date and time`;
	return {
		issue: `${what}; use a format like 2026-12-31T18:00:00 or 2026-12-31T18:00:00+02:00, or set 'Publish Time' to Now`,
	};
};

/** Formats a publish time in the workflow's time zone, for messages and for the output. */
export function describeTime(date: string, timezone: string) {
	const at = atInstant(Date.parse(date), timezone);
	const { zoneName } = at;
	const text = `${at.toFormat('d LLL yyyy, HH:mm')} (${zoneName})`;
	return {
		text,
		scheduled_for: `${toPostDate(at)} (${zoneName})`,
		sentence: `Will be published on ${text}, ${at.toRelative()}`,
	};
}
