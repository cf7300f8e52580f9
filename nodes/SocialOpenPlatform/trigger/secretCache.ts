import { putNewest } from '../protocol/newest';

/** How long what was read is used without asking again, in milliseconds. */
const SECRET_TTL_MS = 30_000;

/** Forged deliveries must not make every one of them a reading: at most so many in so long. */
const REREADINGS = 3;
const REREADINGS_MS = 3_000;

/** Triggers remembered at most; the oldest goes first. */
const MAX_ENTRIES = 1_000;

interface Entry<T> {
	value: Promise<T>;
	/** Milliseconds since 1970. */
	readAt: number;
	/** When the latest readings afresh were allowed. */
	rereadAt: number[];
}

/**
 * Keeps what was read of a credential for a short time: reading it takes n8n longer than all the rest
 * of a delivery. Readings under way are shared; those that did not succeed are not kept.
 */
export class SecretCache<T> {
	private readonly entries = new Map<string, Entry<T>>();

	/** @throws whatever the reading throws */
	async get(key: string, read: () => Promise<T>): Promise<T> {
		const entry = this.entries.get(key);
		const isFresh = entry && Date.now() - entry.readAt < SECRET_TTL_MS;
		return await (isFresh ? entry.value : this.read(key, read, entry?.rereadAt));
	}

	/**
	 * Reads afresh, for a signature that does not match: the secret may have been changed.
	 *
	 * @returns undefined when that was done too often of late
	 */
	async getAfresh(key: string, read: () => Promise<T>): Promise<T | undefined> {
		const { rereadAt = [] } = this.entries.get(key) ?? {};
		const now = Date.now();
		const recent = rereadAt.filter((at) => now - at < REREADINGS_MS);
		if (recent.length >= REREADINGS) return undefined;
		return await this.read(key, read, [...recent, now]);
	}

	private async read(key: string, read: () => Promise<T>, rereadAt: number[] = []): Promise<T> {
		const entry = { value: read(), readAt: Date.now(), rereadAt };
		putNewest(this.entries, key, entry, MAX_ENTRIES);
		entry.value.catch(() => {
			if (this.entries.get(key) === entry) this.entries.delete(key);
		});
		return await entry.value;
	}
}
