import type { Adjustable } from './adjustable';
import type { ScriptedReply } from './chat/script';
import type { FaultMix, FaultSpec } from './faults';
import type { EmulatedPost } from './post-ledger';
import type { ReceivedRequest } from './request-record';
import type { IssuedToken } from './token-ledger';
import type { RecipeChoice } from './webhook/recipe';
import type { DeliverOptions, Delivery } from './webhook/delivery';

/** A running emulator of the platform. Its arrays stay the same objects after `reset`. */
export interface Emulator {
	/** `http://127.0.0.1:<port>` without a trailing slash. */
	readonly url: string;
	readonly appId: string;
	readonly appSecret: string;
	/** All platform requests in order of arrival, without page and control requests. */
	readonly received: ReceivedRequest[];
	/** All requested paths with their queries, including those before a reset. */
	readonly addresses: ReadonlySet<string>;
	/** Accepted posts. */
	readonly posts: EmulatedPost[];
	/** The tokens issued since the last reset, with their current states. */
	readonly tokens: IssuedToken[];
	/** The webhooks that were sent, each with its attempts. */
	readonly deliveries: Delivery[];
	/** The number of sockets with platform requests. */
	readonly connections: { open: number; peak: number; total: number };
	fault(fault: FaultSpec | FaultMix): void;
	clearFaults(): void;
	/** Changes settings while the emulator runs. `undefined` removes a quota. */
	adjust(change: Partial<Adjustable>): void;
	expireTokens(): void;
	revokeTokens(): void;
	/** Adds scripted replies for the next chat requests. Throws a TypeError for an invalid reply. */
	scriptChat(replies: ScriptedReply[]): void;
	/** Advances the clock, and waits for the first attempt of each webhook that is then due. */
	advance(seconds: number): Promise<void>;
	/** Sets the URL for status changes and, if it is given, the signature recipe. */
	setWebhook(url: string | undefined, recipe?: RecipeChoice): void;
	/** Sends one signed webhook immediately, with an object or a text as its body. */
	deliver(event: object | string, options?: DeliverOptions): Promise<Delivery>;
	/** Restores the initial state and settings. */
	reset(): void;
	/** Closes all sockets and timers. */
	stop(): Promise<void>;
}
