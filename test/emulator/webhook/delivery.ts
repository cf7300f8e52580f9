import type { RecipeChoice, WebhookRecipe } from './recipe';

export interface Attempt {
	/** Real time, ISO 8601. */
	at: string;
	/** HTTP status; null when no answer came, or was dropped. */
	status: number | null;
	error?: string;
	durationMs: number;
}

/** One webhook and every attempt to deliver it; each attempt is signed anew. */
export interface Delivery {
	id: string;
	url: string;
	/** Name of the event inside the payload, if it has one. */
	event?: string;
	body: string;
	/** Headers of the latest attempt. */
	headers: Record<string, string>;
	state: 'pending' | 'delivered' | 'failed';
	attempts: Attempt[];
}

export interface DeliverOptions {
	/** Another target than the one set. */
	url?: string;
	recipe?: RecipeChoice;
	/** Another secret than the application's. */
	secret?: string;
	/** Milliseconds since 1970, instead of now. */
	timestamp?: number;
	id?: string;
	nonce?: string;
	/** Over the signed ones; `undefined` removes one. */
	headers?: Record<string, string | undefined>;
	/** Whether to try again after a failed attempt. Default false: one attempt. */
	retry?: boolean;
}

export interface WebhookSettings {
	url?: string;
	recipe: WebhookRecipe;
	retryDelaysMs: number[];
	timeoutMs: number;
	/** Every n-th answer counts as never received; 0 = none. */
	dropEveryNth: number;
}

/** A webhook on its way: `first` settles with its first attempt, `done` with its last. */
export interface SentWebhook {
	delivery: Delivery;
	first: Promise<void>;
	done: Promise<Delivery>;
}
