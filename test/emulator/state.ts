import { setMaxListeners } from 'node:events';

import { checked, type Adjustable } from './adjustable';
import { ChatScript } from './chat/script';
import { Clock } from './clock';
import { Connections } from './connections';
import { FaultQueue } from './fault-queue';
import { MediaFetcher } from './fetch-media';
import type { Settings } from './options';
import { PostLedger, type EmulatedPost } from './post-ledger';
import { Quota } from './quota';
import type { ReceivedRequest } from './request-record';
import { TokenLedger } from './token-ledger';
import { eventOf } from './webhook/event';
import { recipeOf } from './webhook/recipe';
import { WebhookSender } from './webhook/sender';

/** The state of an emulator, which can be reset. */
export class EmulatorState {
	readonly received: ReceivedRequest[] = [];
	/** Paths with their queries, which are kept after a reset so that tests can search them for secrets. */
	readonly addresses = new Set<string>();
	readonly clock: Clock;
	readonly tokens: TokenLedger;
	readonly posts: PostLedger;
	readonly faults: FaultQueue;
	readonly quota = new Quota();
	readonly webhooks: WebhookSender;
	readonly script = new ChatScript();
	readonly connections = new Connections();
	/** Aborted when the emulator stops, which ends all waits. */
	readonly stopping = new AbortController();
	/** Fetches the media of posts. */
	readonly media = new MediaFetcher();
	private readonly atStart: Adjustable;
	private lastId = 0;
	/** First attempts in progress by post. The events of a post are sent one after the other. */
	private readonly inProgress = new Map<string, Promise<unknown>>();

	constructor(readonly settings: Settings) {
		// Every response that waits listens to it.
		setMaxListeners(0, this.stopping.signal);
		const { latencyMs, requestsPerSecond, chatAuthHeader, chatAuthPrefix } = settings;
		this.atStart = { latencyMs, requestsPerSecond, chatAuthHeader, chatAuthPrefix };
		this.adjust(this.atStart);
		this.clock = new Clock(settings.clockSpeed);
		this.tokens = new TokenLedger(settings, this.clock);
		this.faults = new FaultQueue(settings.seed);
		this.webhooks = new WebhookSender(this.webhookSettings(), settings.appSecret);
		this.posts = new PostLedger(settings, this.clock, (post) => this.announce(post), this.media);
	}

	record(request: Omit<ReceivedRequest, 'id' | 'status' | 'tookEffect'>): ReceivedRequest {
		const entry = { id: ++this.lastId, ...request, status: null, tookEffect: false };
		this.received.push(entry);
		this.addresses.add(entry.path);
		return entry;
	}

	adjust(change: Partial<Adjustable>): void {
		Object.assign(this.settings, checked(change));
	}

	/** Advances the clock, and waits for the first attempt of each event that is then due. */
	async advance(seconds: number): Promise<void> {
		this.clock.advance(seconds);
		await this.posts.fetched();
		await Promise.all(this.inProgress.values());
	}

	reset(): void {
		this.received.length = 0;
		this.lastId = 0;
		this.clock.reset();
		this.tokens.reset();
		this.posts.reset();
		this.faults.clear();
		this.quota.reset();
		this.adjust(this.atStart);
		this.script.clear();
		this.webhooks.reset();
		Object.assign(this.webhooks.settings, this.webhookSettings());
		this.connections.reset();
	}

	async stop(): Promise<void> {
		this.stopping.abort();
		this.clock.reset();
		await Promise.all([this.webhooks.stop(), this.media.stop()]);
	}

	private webhookSettings() {
		const { webhookUrl, webhookRecipe, webhookRetryDelaysMs, webhookTimeoutMs } = this.settings;
		return {
			url: webhookUrl,
			recipe: recipeOf(webhookRecipe),
			retryDelaysMs: webhookRetryDelaysMs,
			timeoutMs: webhookTimeoutMs,
			dropEveryNth: 0,
		};
	}

	private announce(post: EmulatedPost): void {
		if (!this.webhooks.settings.url) return;
		const key = post.action_sn;
		const event = eventOf(post);
		const earlier = this.inProgress.get(key) ?? Promise.resolve();
		const sent = earlier.then(async () => {
			if (this.stopping.signal.aborted || !this.webhooks.settings.url) return;
			const { first, done } = this.webhooks.send(event, { retry: true });
			done.catch(() => undefined);
			await first;
		});
		const settled = sent
			.catch(() => undefined)
			.finally(() => this.inProgress.get(key) === settled && this.inProgress.delete(key));
		this.inProgress.set(key, settled);
	}
}
