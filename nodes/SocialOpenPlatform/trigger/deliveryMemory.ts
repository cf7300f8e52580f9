import { putNewest } from '../protocol/newest';

/** Deliveries remembered at most, over all triggers; the oldest goes first. About 10 MB. */
const MAX_REMEMBERED = 50_000;

interface Remembered {
	/** Whether it was handed over; settles when that is known. */
	handedOver: Promise<boolean>;
	/** When it was handed over, in milliseconds since 1970; undefined while that is under way. */
	at?: number;
}

/**
 * Remembers which deliveries have started a workflow, so that a repetition does not start another. It
 * is exact within one n8n process and forgets when that ends. One that could not be handed over is
 * forgotten at once, because its sender will send it again.
 */
export class DeliveryMemory {
	private readonly remembered = new Map<string, Remembered>();

	/**
	 * The same delivery within the window, in milliseconds: handed over already (`true`), or under way
	 * (a promise of whether it will have been). Undefined when there is none.
	 */
	earlier(key: string, windowMs: number): true | Promise<boolean> | undefined {
		const known = this.remembered.get(key);
		if (known?.at === undefined) return known?.handedOver;
		return Date.now() - known.at < windowMs ? true : undefined;
	}

	/** Notes that a delivery is being handed over; `handedOver` says how that ends. */
	begin(key: string, handedOver: Promise<boolean>): void {
		const entry: Remembered = { handedOver };
		putNewest(this.remembered, key, entry, MAX_REMEMBERED);
		void handedOver.then((isDone) => {
			if (isDone) entry.at = Date.now();
			else if (this.remembered.get(key) === entry) this.remembered.delete(key);
		});
	}
}
