import type { Zone } from 'luxon';

/** An instant that a clock on the wall stands for, and what is special about it on that day. */
export interface WallClock {
	/** Milliseconds since 1970. */
	instant: number;
	kind: 'once' | 'never' | 'twice';
}

/** No zone changes its offset twice within a day of each side. */
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Finds the instant at which a zone's clocks show a time. A time that they skip moves forward by what
 * they skip, and of a time that they show twice the first is taken (RFC 5545, section 3.3.5).
 *
 * @param clock what the clocks show, in milliseconds since 1970 as if it were UTC
 */
export function resolveWallClock(clock: number, zone: Zone): WallClock {
	const offsetAt = (instant: number) => zone.offset(instant) * 60_000;
	const shows = (instant: number) => instant + offsetAt(instant) === clock;
	const before = clock - offsetAt(clock - DAY_MS);
	const after = clock - offsetAt(clock + DAY_MS);
	if (!shows(before) && !shows(after)) return { instant: before, kind: 'never' };
	if (before !== after && shows(before) && shows(after)) {
		return { instant: Math.min(before, after), kind: 'twice' };
	}
	return { instant: shows(before) ? before : after, kind: 'once' };
}
