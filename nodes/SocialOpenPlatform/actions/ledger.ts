import type { IContextObject } from 'n8n-workflow';
import type { Envelope } from '../protocol/envelope';
import { inTurn, type Turns } from './inTurn';

/** What tells one post from another within an execution. */
export interface PostIdentity {
	itemIndex: number;
	/** Of the request as it goes out. */
	digest: string;
	/** Of the node's settings and the input item: the same on every try, whatever expressions give. */
	origin: string;
}

/** What became of a post: what n8n stores of it, in clear. Nothing secret. */
export type Outcome =
	| { state: 'accepted'; sent_at: string; envelope: Envelope }
	| { state: 'unknown'; sent_at: string; reason: string }
	| { state: 'refused'; sent_at: string };

export type Entry = Outcome & Pick<PostIdentity, 'digest' | 'origin'>;

/** Which run of the node the posts belong to. */
export interface LedgerOptions {
	runIndex: number;
	/** Called by an AI agent, for which n8n counts every call, and every try of one, as a run. */
	isTool: boolean;
}

/** Whoever waits for a post under way, by the entries of an execution. */
const turns = new WeakMap<object, Turns>();

/**
 * What became of each post of an execution, kept in the node's context. That outlives the tries of
 * *Retry on Fail*, is stored with the execution, and is there again when the execution is retried.
 * All runs of the node share it, so a post is found by run and item; and because the workflow may
 * have been edited before a retry, by what it is.
 */
export class Ledger {
	private readonly entries: Record<string, Entry>;

	constructor(
		context: IContextObject,
		private readonly options: LedgerOptions,
	) {
		context.posts ??= {};
		this.entries = context.posts as Record<string, Entry>;
	}

	/** What became of this post at an earlier try, or earlier in the conversation of an agent. */
	find(post: PostIdentity): Entry | undefined {
		const entry = this.entries[this.placeOf(post)];
		const isSame = entry?.digest === post.digest || entry?.origin === post.origin;
		return isSame ? entry : undefined;
	}

	note(post: PostIdentity, outcome: Outcome): void {
		const { digest, origin } = post;
		this.entries[this.placeOf(post)] = { ...outcome, digest, origin };
	}

	/** How many posts of this run were accepted so far, at this try or an earlier one. */
	accepted(): number {
		const ofThisRun = `${this.options.runIndex}:`;
		return Object.entries(this.entries).filter(
			([place, { state }]) => state === 'accepted' && place.startsWith(ofThisRun),
		).length;
	}

	/** Does something for a post while nobody else does anything for the very same. */
	async alone<T>(post: PostIdentity, deed: () => Promise<T>): Promise<T> {
		// An agent may call its tool twice at the same time.
		const mine = turns.get(this.entries) ?? new Map<string, Promise<unknown>>();
		turns.set(this.entries, mine);
		return await inTurn(mine, this.placeOf(post), deed);
	}

	private placeOf({ itemIndex, digest }: PostIdentity): string {
		const { runIndex, isTool } = this.options;
		return isTool ? `tool:${digest}` : `${runIndex}:${itemIndex}`;
	}
}
