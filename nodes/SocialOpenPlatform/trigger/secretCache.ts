import { putNewest } from '../protocol/newest';

/** How long what was read is kept, and used without asking again, in milliseconds. */
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

	/** The reading at hand, or a new one; it may be under way, and fail. */
	get(key: string, read: () => Promise<T>): Promise<T> {
		const entry = this.entries.get(key);
		const isFresh = entry && Date.now() - entry.readAt < SECRET_TTL_MS;
		return isFresh ? entry.value : this.read(key, read, entry?.rereadAt);
	}

	/**
	 * A newer reading than the one given, for a signature that does not match by it: the secret may have
	 * been changed.
	 *
	 * @returns undefined when there is none and it was read too often of late
	 */
	newer(key: string, than: Promise<T>, read: () => Promise<T>): Promise<T> | undefined {
		const entry = this.entries.get(key);
		if (entry && entry.value !== than) return entry.value;
		const now = Date.now();
		const recent = entry?.rereadAt.filter((at) => now - at < REREADINGS_MS) ?? [];
		return recent.length < REREADINGS ? this.read(key, read, [...recent, now]) : undefined;
	}

	private read(key: string, read: () => Promise<T>, rereadAt: number[] = []): Promise<T> {
		const entry = { value: read(), readAt: Date.now(), rereadAt };
		putNewest(this.entries, key, entry, MAX_ENTRIES);
		const forget = () => {
			if (this.entries.get(key) === entry) this.entries.delete(key);
		};
		entry.value.catch(forget);
		// No secret stays behind for a trigger to which nothing more comes.
		AbortSignal.timeout(SECRET_TTL_MS).addEventListener('abort', forget);
		return entry.value;
	}
}
