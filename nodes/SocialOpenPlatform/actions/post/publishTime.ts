import { DateTime } from 'luxon';
import type { Issue } from '../../protocol/issue';
import { labels } from './fields';

/** A publish time, and a note where the local time is ambiguous. */
export interface PublishTime {
	/** In the offset the user gave, or else in the workflow's time zone. */
	at: DateTime;
	/** Set when the wall-clock time does not exist, or exists twice, on that day. */
	note?: string;
}

/** Seconds or milliseconds since 1970, as they are written from 2001 to 2286. */
const SECONDS = /^\d{10}(\.\d+)?$/;
const MILLISECONDS = /^\d{13}(\.\d+)?$/;

/** A date and an hour of this century, such as 2026123118. It is not a number of seconds. */
const COMPACT_HOUR = /^20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-4])$/;

/** Year, month and day, or a day followed by the name of a month. */
const FULL_DATE = /^(\d{4}-?\d{2}-?\d{2}|\d{1,2} [A-Za-z]{3} )/;

/** No time zone is farther from UTC than UTC+14. */
const MAX_OFFSET_MINUTES = 14 * 60;

const parsers = [DateTime.fromISO, DateTime.fromSQL, DateTime.fromRFC2822, DateTime.fromHTTP];

/**
 * Reads every form of date that n8n gives: ISO 8601 and SQL text with or without an offset,
 * RFC 2822, Luxon and JavaScript dates, and the time since 1970: ten digits are seconds, thirteen are
 * milliseconds, as a number or as text. Ten digits that read as a date and an hour (2026123118) are not
 * seconds, and are not understood; eight are a date (20261231).
 *
 * A naive time is what the clocks show in `timezone`. If that zone is not known, only instants are
 * read.
 *
 * @returns undefined when it is not a date
 */
export function readPublishTime(value: unknown, timezone: string): PublishTime | undefined {
	if (isLuxon(value)) return valid(DateTime.fromISO(value.toISO(), { setZone: true }));
	const text = typeof value === 'number' ? String(value) : value;
	const instant = instantOf(typeof text === 'string' ? text.trim() : text);
	if (instant !== undefined) return atInstant(instant, timezone);
	return typeof text === 'string' ? readText(text.trim(), timezone) : undefined;
}

function readText(text: string, timezone: string): PublishTime | undefined {
	// Luxon would fill in what a partial date lacks, from the wrong time zone.
	if (/^\d/.test(text) && !FULL_DATE.test(text)) return undefined;
	for (const parse of parsers) {
		const own = parse(text, { setZone: true, zone: 'utc' });
		if (!own.isValid) continue;
		const elsewhere = parse(text, { setZone: true, zone: 'utc+1' });
		const naive = own.toMillis() !== elsewhere.toMillis();
		return naive ? fromLocalTime(own, timezone) : valid(own);
	}
	return undefined;
}

/** ISO 8601 with a numeric offset, to the second, as the platform's interface shows it. */
export function toPostDate(at: DateTime): string {
	return at.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ");
}

/**
 * The issue of a publish time that has passed. A post may wait for a rate limit, so its time is
 * checked again right before it is sent.
 *
 * @param publishAt milliseconds since 1970
 * @param date the same instant as `post_date` sends it
 * @param timezone the workflow's
 * @param now milliseconds since 1970
 * @returns undefined while the time has not passed
 */
export function pastTime(
	publishAt: number,
	date: string,
	timezone: string,
	now = Date.now(),
): Issue | undefined {
	if (publishAt >= now) return undefined;
	const message = `is in the past: it was understood as ${date}; the workflow's time zone is ${timezone}`;
	return { field: labels.post_date, message };
}

/** Milliseconds since 1970, of a value that does not depend on a time zone. */
function instantOf(value: unknown): number | undefined {
	if (Object.prototype.toString.call(value) === '[object Date]') return (value as Date).getTime();
	if (typeof value !== 'string') return undefined;
	if (SECONDS.test(value) && !COMPACT_HOUR.test(value)) return Number(value) * 1000;
	return MILLISECONDS.test(value) ? Number(value) : undefined;
}

/** An instant in the workflow's time zone, or in UTC if that zone is not known. */
function atInstant(instant: number, timezone: string): PublishTime | undefined {
	const at = DateTime.fromMillis(instant, { zone: 'utc' });
	const local = at.setZone(timezone);
	return valid(local.isValid ? local : at);
}

function isLuxon(value: unknown): value is { toISO(): string } {
	return (
		typeof value === 'object' &&
		value !== null &&
		'toISO' in value &&
		typeof value.toISO === 'function'
	);
}

function valid(at: DateTime): PublishTime | undefined {
	const isSound = at.isValid && at.year <= 9999 && Math.abs(at.offset) <= MAX_OFFSET_MINUTES;
	return isSound ? { at } : undefined;
}

/**
 * Converts a local time to an instant. A time that the clocks of the zone skip is moved forward by the
 * skipped time. Of a time that occurs twice, the first is used (RFC 5545, section 3.3.5).
 *
 * @param local the local time, given as if it were UTC
 */
function fromLocalTime(local: DateTime, timezone: string): PublishTime | undefined {
	const zoned = local.setZone(timezone, { keepLocalTime: true });
	if (!zoned.isValid) return undefined;
	const [first = zoned, second] = zoned
		.getPossibleOffsets()
		.sort((a, b) => a.toMillis() - b.toMillis());
	const time = valid(first);
	if (!time) return undefined;
	const meant = toPostDate(first);
	const isSkipped = zoned.setZone('utc', { keepLocalTime: true }).toMillis() !== local.toMillis();
	if (isSkipped) {
		const note = `does not exist in ${timezone} on that day (clocks go forward); ${meant} is used`;
		return { ...time, note };
	}
	if (!second) return time;
	const note = `exists twice in ${timezone} on that day (clocks go back); the first, ${meant}, is used`;
	return { ...time, note };
}
