import type { Adjustable } from './adjustable';
import type { ScriptedReply } from './chat/script';
import type { FaultMix, FaultSpec } from './faults';
import type { EmulatedPost } from './post-ledger';
import type { ReceivedRequest } from './request-record';
import type { IssuedToken } from './token-ledger';
import type { RecipeChoice } from './webhook/recipe';
import type { DeliverOptions, Delivery } from './webhook/delivery';

/** A running stand-in for the platform. The arrays are live and survive `reset`. */
export interface Emulator {
	/** `http://127.0.0.1:<port>`, without a slash at the end. */
	readonly url: string;
	readonly appId: string;
	readonly appSecret: string;
	/** Every platform request in order of arrival; never page or control requests. */
	readonly received: ReceivedRequest[];
	/** Every different path with its query that was ever asked for, resets or not. */
	readonly addresses: ReadonlySet<string>;
	/** Accepted posts. */
	readonly posts: EmulatedPost[];
	/** Tokens issued since the last reset, as they stand now. */
	readonly tokens: IssuedToken[];
	/** Webhooks sent, each with its attempts. */
	readonly deliveries: Delivery[];
	/** Sockets that carried platform requests. */
	readonly connections: { open: number; peak: number; total: number };
	fault(fault: FaultSpec | FaultMix): void;
	clearFaults(): void;
	/** Changes settings while it runs; `undefined` takes a quota away. */
	adjust(change: Partial<Adjustable>): void;
	expireTokens(): void;
	revokeTokens(): void;
	/** Lays down the next chat replies; throws a TypeError for one that cannot be read. */
	scriptChat(replies: ScriptedReply[]): void;
	/** Moves the clock, applies what has become due, and waits for each due webhook's first attempt. */
	advance(seconds: number): Promise<void>;
	/** Where status changes go from now on; the recipe stays as it is when left out. */
	setWebhook(url: string | undefined, recipe?: RecipeChoice): void;
	/** Sends one signed webhook now: an object, or a raw body as text. */
	deliver(event: object | string, options?: DeliverOptions): Promise<Delivery>;
	/** Back to the state at the start, changed settings included. */
	reset(): void;
	/** Closes every socket and timer. */
	stop(): Promise<void>;
}
