import { DateTime, IANAZone } from 'luxon';
import type { Issue } from '../../protocol/issue';
import { labels } from './fields';

/** A publish time, and a note if the local time is ambiguous. */
interface PublishTime {
	/** The time with the offset that the user gave, or in the workflow's time zone. */
	at: DateTime;
	/** A note for a local time that does not exist or exists twice on that day. */
	note?: string;
}

/** Unix time in seconds or milliseconds, for times between 2001 and 2286. */
const SECONDS = /^\d{10}(\.\d+)?$/;
const MILLISECONDS = /^\d{13}(\.\d+)?$/;

/** A date and an hour of this century, such as 2026123118. It must not be read as Unix time. */
const COMPACT_HOUR = /^20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-4])$/;

/**
 * Text that begins with a complete date: year, month and day as digits, or a day followed by the
 * name of a month.
 */
const FULL_DATE = /^(\d{4}-?\d{2}-?\d{2}|\d{1,2} [A-Za-z]{3} )/;

/**
 * A date with an abbreviation that JavaScript takes for a time zone, although it has several meanings:
 * it reads BST as Bangladesh, and CST as Chicago. The names of the time zone database are allowed, and JST.
 */
const AMBIGUOUS_ZONE = /^\d{4}.*[\d\s[](?!UTC|UCT|GMT|[CEMW]ET|[EHJM]ST|PRC|ROC|ROK)[A-Z]{3}\]?$/i;

/** Whether a value ends with such an abbreviation. */
export const hasAmbiguousZone = (value: unknown): boolean =>
	typeof value === 'string' && AMBIGUOUS_ZONE.test(value.trim());

/**
 * A date and the name of its time zone, such as Europe/Berlin or [CET]. Luxon ignores an offset before
 * the name, and reads a time that exists twice by the offset of the current season. The name is therefore
 * removed before the date is parsed.
 */
const NAMED_ZONE = /^(.*[\dZ])(?:\s+(?=\S*\/)|\s*\[)([A-Z_]{1,20}(?:\/[\w+-]{1,20}){0,2})\]?$/i;

/** The largest offset of a time zone is UTC+14. */
const MAX_OFFSET_MINUTES = 14 * 60;

const parsers = [DateTime.fromISO, DateTime.fromSQL, DateTime.fromRFC2822, DateTime.fromHTTP];

/**
 * Reads every form of date that n8n provides: ISO 8601 and SQL text with or without an offset, RFC
 * 2822, Luxon and JavaScript dates, and Unix time as a number or as text (ten digits are seconds,
 * thirteen are milliseconds). Eight digits are a date (20261231). Ten digits that look like a date
 * and an hour (2026123118) are refused.
 *
 * A time without an offset is local time in `timezone`. If that time zone is not known, such a time
 * is refused.
 * @returns undefined if the value is not a date
 */
export function readPublishTime(value: unknown, timezone: string): PublishTime | undefined {
	if (isLuxon(value)) return valid(DateTime.fromISO(value.toISO(), { setZone: true }));
	const text = typeof value === 'number' ? String(value) : value;
	const instant = instantOf(typeof text === 'string' ? text.trim() : text);
	if (instant !== undefined) return atInstant(instant, timezone);
	return typeof text === 'string' ? readText(text.trim(), timezone) : undefined;
}

function readText(text: string, timezone: string): PublishTime | undefined {
	// If a date is incomplete, Luxon adds the missing parts from the wrong time zone.
	if (/^\d/.test(text) && !FULL_DATE.test(text)) return undefined;
	if (AMBIGUOUS_ZONE.test(text)) return undefined;
	const [, date = text, zone] = NAMED_ZONE.exec(text) ?? [];
	if (zone && !IANAZone.isValidZone(zone)) return undefined;
	for (const parse of parsers) {
		const own = parse(date, { setZone: true, zone: 'utc' });
		if (!own.isValid) continue;
		const elsewhere = parse(date, { setZone: true, zone: 'utc+1' });
		const naive = own.toMillis() !== elsewhere.toMillis();
		return naive ? fromLocalTime(own, zone ?? timezone) : valid(own);
	}
	return undefined;
}

/** Formats a time as ISO 8601 with seconds and a numeric offset, as in the platform's interface. */
export function toPostDate(at: DateTime): string {
	return at.toFormat("yyyy-MM-dd'T'HH:mm:ssZZ");
}

/**
 * The issue of a publish time in the past. A post may wait for a rate limit, so its time is checked
 * again before it is sent.
 *
 * @param publishAt Unix time in milliseconds
 * @param date the same time as text, as in `post_date`
 * @param timezone the time zone of the workflow
 * @param now Unix time in milliseconds
 * @returns undefined if the time is not in the past
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

/** A time for people, in the time zone of the workflow. */
const READABLE = 'd LLL yyyy, HH:mm';

/**
 * Lines about when scheduled posts are published; empty if there are none.
 *
 * @param times Unix times in milliseconds
 */
export function describeSchedule(times: number[], timezone: string): string {
	if (times.length === 0) return '';
	const zone = DateTime.local({ zone: timezone }).isValid ? timezone : 'UTC';
	const textOf = (time: number) => {
		const at = DateTime.fromMillis(time, { zone }).setLocale('en');
		const isAmbiguous = at.getPossibleOffsets().length > 1;
		return at.toFormat(isAmbiguous ? `${READABLE} ZZ` : READABLE);
	};
	const [first, last] = [Math.min(...times), Math.max(...times)].map(textOf);
	const [posts, them] =
		times.length > 1 ? [`${times.length} posts are`, 'them'] : ['1 post is', 'it'];
	const when = first === last ? `for ${first}` : `from ${first} to ${last}`;
	return `${posts} scheduled ${when} (${zone}). n8n cannot cancel ${them}; cancel ${them} on the platform.`;
}

/** The Unix time in milliseconds of a value that does not depend on a time zone. */
function instantOf(value: unknown): number | undefined {
	if (Object.prototype.toString.call(value) === '[object Date]') return (value as Date).getTime();
	if (typeof value !== 'string') return undefined;
	if (SECONDS.test(value) && !COMPACT_HOUR.test(value)) return Number(value) * 1000;
	return MILLISECONDS.test(value) ? Number(value) : undefined;
}

/** A time in the workflow's time zone, or in UTC if that time zone is not known. */
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
	const isValid = at.isValid && at.year <= 9999 && Math.abs(at.offset) <= MAX_OFFSET_MINUTES;
	return isValid ? { at } : undefined;
}

/**
 * Converts a local time to a point in time. If the clocks of the time zone skip the local time, it
 * is moved forward by the skipped period. If it occurs twice, the first occurrence is used (RFC
 * 5545, section 3.3.5).
 *
 * @param local the local time, with UTC as its time zone
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
