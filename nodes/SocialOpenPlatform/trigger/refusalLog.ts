import type { Logger } from 'n8n-workflow';
import { putNewest } from '../protocol/newest';

/** One line for each trigger and reason in this time; a flood must not fill the disk. */
const EVERY_MS = 60_000;

/** Pairs of trigger and reason at most; the oldest goes first. */
const MAX_ENTRIES = 1_000;

interface Entry {
	/** Milliseconds since 1970. */
	loggedAt: number;
	unlogged: number;
}

/** Writes refusals to n8n's log: the first at once, of those that follow only how many there were. */
export class RefusalLog {
	private readonly entries = new Map<string, Entry>();

	/** @param place what tells the trigger from others; nothing of the delivery itself */
	write(logger: Logger, place: string, reason: string, message: string): void {
		const key = `${reason} ${place}`;
		const entry = this.entries.get(key) ?? { loggedAt: 0, unlogged: 0 };
		if (Date.now() - entry.loggedAt < EVERY_MS) {
			entry.unlogged++;
			return;
		}
		const more =
			entry.unlogged > 0 ? ` ${entry.unlogged} more like it came since the last line.` : '';
		logger.warn(`Webhook delivery to ${place} refused (${reason}): ${message}${more}`);
		putNewest(this.entries, key, { loggedAt: Date.now(), unlogged: 0 }, MAX_ENTRIES);
	}
}
