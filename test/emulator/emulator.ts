import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';

import { ChatScript } from './chat/script';
import { Clock } from './clock';
import { Connections } from './connections';
import { FaultQueue } from './fault-queue';
import type { FaultMix, FaultSpec } from './faults';
import { MediaFetcher } from './fetch-media';
import type { Settings } from './options';
import { PostLedger, type EmulatedPost } from './post-ledger';
import { Quota } from './quota';
import type { ReceivedRequest } from './request-record';
import { TokenLedger, type IssuedToken } from './token-ledger';
import type { DeliverOptions, Delivery } from './webhook/delivery';
import { eventOf } from './webhook/event';
import { recipeOf, type RecipeChoice } from './webhook/recipe';
import { WebhookSender } from './webhook/sender';

/** An emulator of the platform. Its arrays stay the same objects after `reset`. */
export class Emulator {
	/** `http://127.0.0.1:<port>` without a trailing slash. */
	url = '';
	/** All platform requests in order of arrival, without those of the page. */
	readonly received: ReceivedRequest[] = [];
	/** All requested paths with their queries, including those before a reset, so that tests can search them for secrets. */
	readonly addresses = new Set<string>();
	readonly clock = new Clock();
	readonly issued: TokenLedger;
	readonly ledger: PostLedger;
	readonly faults: FaultQueue;
	readonly quota = new Quota();
	readonly webhooks: WebhookSender;
	readonly script = new ChatScript();
	/** The number of sockets with platform requests. */
	readonly connections = new Connections();
	/** Aborted when the emulator stops, which ends all waits. */
	readonly stopping = new AbortController();
	/** Fetches the media of posts. */
	readonly media = new MediaFetcher();
	private readonly atStart: Settings;
	private lastId = 0;
	/** First attempts in progress by post. The events of a post are sent one after the other. */
	private readonly inProgress = new Map<string, Promise<unknown>>();

	constructor(
		readonly settings: Settings,
		private readonly server: Server,
	) {
		// Every response that waits listens to it.
		setMaxListeners(0, this.stopping.signal);
		this.atStart = { ...settings };
		this.issued = new TokenLedger(settings, this.clock);
		this.faults = new FaultQueue(settings.seed);
		this.webhooks = new WebhookSender(settings);
		this.ledger = new PostLedger(settings, this.clock, (post) => this.announce(post), this.media);
	}

	get appId(): string {
		return this.settings.appId;
	}

	get appSecret(): string {
		return this.settings.appSecret;
	}

	/** Accepted posts. */
	get posts(): EmulatedPost[] {
		return this.ledger.posts;
	}

	/** The tokens issued since the last reset, with their current states. */
	get tokens(): IssuedToken[] {
		return this.issued.list();
	}

	/** The webhooks that were sent, each with its attempts. */
	get deliveries(): Delivery[] {
		return this.webhooks.deliveries;
	}

	fault(fault: FaultSpec | FaultMix): void {
		this.faults.add(fault);
	}

	clearFaults(): void {
		this.faults.clear();
	}

	expireTokens(): void {
		this.issued.expireAll();
	}

	revokeTokens(): void {
		this.issued.revokeAll();
	}

	/** Adds scripted replies for the next chat requests. */
	scriptChat: ChatScript['add'] = (replies) => this.script.add(replies);

	/** Sets the URL for status changes and, if it is given, the signature recipe. */
	setWebhook(url: string, recipe?: RecipeChoice): void {
		this.webhooks.url = url;
		if (recipe) this.webhooks.recipe = recipeOf(recipe);
	}

	/** Sends one signed webhook immediately, with an object or a text as its body. */
	async deliver(event: object | string, options?: DeliverOptions): Promise<Delivery> {
		return await this.webhooks.send(event, options).done;
	}

	record(request: Omit<ReceivedRequest, 'id' | 'status' | 'tookEffect'>): ReceivedRequest {
		const entry = { id: ++this.lastId, ...request, status: null, tookEffect: false };
		this.received.push(entry);
		this.addresses.add(entry.path);
		return entry;
	}

	/** Changes settings while the emulator runs, until it is reset. */
	adjust(change: Partial<Settings>): void {
		Object.assign(this.settings, change);
	}

	/** Advances the clock, and waits for the first attempt of each event that is then due. */
	async advance(seconds: number): Promise<void> {
		this.clock.advance(seconds);
		await this.ledger.fetched();
		await Promise.all(this.inProgress.values());
	}

	/** Restores the initial state and settings, without a webhook. */
	reset(): void {
		this.received.length = 0;
		this.lastId = 0;
		this.clock.reset();
		this.issued.reset();
		this.ledger.reset();
		this.faults.clear();
		this.quota.reset();
		this.adjust(this.atStart);
		this.script.clear();
		this.webhooks.reset();
		this.connections.reset();
	}

	/** Closes all sockets and timers. */
	async stop(): Promise<void> {
		this.stopping.abort();
		this.clock.reset();
		await Promise.all([this.webhooks.stop(), this.media.stop()]);
		const closed = new Promise((resolve) => this.server.close(resolve));
		this.server.closeAllConnections();
		await closed;
	}

	private announce(post: EmulatedPost): void {
		if (!this.webhooks.url) return;
		const earlier = this.inProgress.get(post.action_sn);
		const event = eventOf(post);
		const sent = (async () => {
			await earlier;
			// Meanwhile, the emulator may have been stopped or reset.
			if (this.stopping.signal.aborted || !this.webhooks.url) return;
			await this.webhooks.send(event, { retry: true }).first;
		})();
		this.inProgress.set(post.action_sn, sent);
	}
}
