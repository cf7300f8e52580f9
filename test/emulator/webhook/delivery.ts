import type { RecipeChoice } from './recipe';

export interface Attempt {
	/** The real time in ISO 8601. */
	at: string;
	/** The HTTP status, or null if there was no response. */
	status: number | null;
	error?: string;
	durationMs: number;
}

/** A webhook with all attempts to deliver it, each of which has a new signature. */
export interface Delivery {
	id: string;
	url: string;
	/** The name of the event in the payload, if it has one. */
	event?: string;
	body: string;
	/** The headers of the latest attempt. */
	headers: Record<string, string>;
	state: 'pending' | 'delivered' | 'failed';
	attempts: Attempt[];
}

export interface DeliverOptions {
	/** The URL, if it is not the configured one. */
	url?: string;
	recipe?: RecipeChoice;
	/** The secret, if it is not that of the application. */
	secret?: string;
	/** The time in milliseconds since 1970, if it is not the current one. */
	timestamp?: number;
	id?: string;
	nonce?: string;
	/** Headers that replace those of the delivery. `undefined` removes a header. */
	headers?: Record<string, string | undefined>;
	/** Whether to retry after a failed attempt. The default is false. */
	retry?: boolean;
}

/** A webhook that is being sent. `first` settles after the first attempt, and `done` after the last one. */
export interface SentWebhook {
	delivery: Delivery;
	first: Promise<void>;
	done: Promise<Delivery>;
}
