import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { Agent, request } from 'undici';

import { writeJson } from '../exact-json';
import type { Settings } from '../options';
import { parsed } from '../request-record';
import type { Attempt, DeliverOptions, Delivery, SentWebhook } from './delivery';
import { recipeOf } from './recipe';
import { signedHeaders } from './sign';

/** How long n8n may take to respond. */
const TIMEOUT_MS = 60_000;

/** Signs, sends and retries webhooks, and records the attempts. */
export class WebhookSender {
	readonly deliveries: Delivery[] = [];
	/** Where status changes are sent, if anywhere. */
	url?: string;
	recipe = recipeOf();
	private readonly agent = new Agent({
		keepAliveTimeout: 1_000,
		headersTimeout: TIMEOUT_MS,
		bodyTimeout: TIMEOUT_MS,
	});
	private readonly stopping = new AbortController();

	constructor(private readonly settings: Settings) {}

	/**
	 * Sends an event or a raw body. `first` settles after the first attempt, and `done` after the last one.
	 */
	send(event: object | string, options: DeliverOptions = {}): SentWebhook {
		const url = options.url ?? this.url;
		if (!url) throw new TypeError('No webhook URL is set');
		const body = typeof event === 'string' ? event : writeJson(event);
		const named = (parsed(body) ?? {}) as { id?: string; event?: string };
		const id = options.id ?? named.id ?? `evt_${randomUUID()}`;
		const delivery: Delivery = {
			id,
			url,
			event: named.event,
			body,
			headers: {},
			state: 'pending',
			attempts: [],
		};
		this.deliveries.push(delivery);
		const first = this.attempt(delivery, options);
		const done = first.then(async () => await this.retry(delivery, options));
		return { delivery, first, done };
	}

	reset(): void {
		this.deliveries.length = 0;
		this.url = undefined;
		this.recipe = recipeOf();
	}

	async stop(): Promise<void> {
		this.stopping.abort();
		await this.agent.destroy();
	}

	private async retry(delivery: Delivery, options: DeliverOptions): Promise<Delivery> {
		for (const delay of options.retry ? this.settings.webhookRetryDelaysMs : []) {
			if (delivery.state === 'delivered') break;
			const slept = sleep(delay, true, { signal: this.stopping.signal, ref: false });
			if (!(await slept.catch(() => false))) return delivery;
			await this.attempt(delivery, options);
		}
		if (delivery.state === 'pending') delivery.state = 'failed';
		return delivery;
	}

	private async attempt(delivery: Delivery, options: DeliverOptions): Promise<void> {
		const started = Date.now();
		delivery.headers = this.headersOf(delivery, options);
		const attempt: Attempt = { at: new Date(started).toISOString(), status: null, durationMs: 0 };
		try {
			attempt.status = await this.post(delivery);
		} catch (error) {
			attempt.error = error instanceof Error ? error.message : String(error);
		}
		attempt.durationMs = Date.now() - started;
		delivery.attempts.push(attempt);
		const { status } = attempt;
		if (status !== null && status >= 200 && status < 300) delivery.state = 'delivered';
	}

	private async post({ url, body, headers }: Delivery): Promise<number> {
		const answer = await request(url, { method: 'POST', body, headers, dispatcher: this.agent });
		await answer.body.dump();
		return answer.statusCode;
	}

	private headersOf(delivery: Delivery, options: DeliverOptions): Record<string, string> {
		const recipe = options.recipe === undefined ? this.recipe : recipeOf(options.recipe);
		const ms = options.timestamp ?? Date.now();
		const all = {
			'Content-Type': 'application/json',
			...signedHeaders(recipe, {
				body: delivery.body,
				secret: options.secret ?? this.settings.appSecret,
				timestamp: String(Math.floor(ms / 1000)),
				id: delivery.id,
				nonce: options.nonce ?? randomBytes(8).toString('hex'),
			}),
			...options.headers,
		};
		const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] != null);
		return Object.fromEntries(kept);
	}
}
