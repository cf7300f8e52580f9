import type { IContextObject } from 'n8n-workflow';
import type { Envelope } from '../protocol/envelope';
import { enqueue, type Queues } from './taskQueue';

/** What a user looks for on the platform to find out whether it has a post. */
export interface Clues {
	/** ISO 8601; absent when this execution did not send it. */
	sent_at?: string;
	/** Absent when it could not be read. */
	social_account_id?: string;
	text_beginning?: string;
}

/** Identifies a post within an execution by the place of its item and by digests. */
export interface PostIdentity {
	itemIndex: number;
	/** Digest of the input item; in an agent's tool, of the agent's arguments and the node's fields. */
	source: string;
	/** Digest of the node's fields, expressions unresolved. It changes only when a user edits the node. */
	fields: string;
	/** Digest of the request body; empty when the fields could not be read. */
	request: string;
}

/** The outcome of a post as it is stored with the execution. Nothing secret. */
export type RecordedOutcome =
	| { state: 'accepted'; sent_at: string; envelope: Envelope }
	| { state: 'unknown'; clues: Clues; reason: string }
	| { state: 'refused'; sent_at: string };

export type Entry = RecordedOutcome & Omit<PostIdentity, 'itemIndex'>;

/** The run of the node that the posts belong to. */
export interface LedgerOptions {
	runIndex: number;
	/** Whether an AI agent calls the node. n8n counts each of its calls and their retries as a run. */
	isTool: boolean;
	executionId: string;
	/** Identifies the application; undefined when the credential cannot be read. */
	app?: string;
}

/** The queues of an execution, by its entries. */
const queuesOf = new WeakMap<object, Queues>();

/** What n8n keeps for the node: the entries of each application, and the execution they began in. */
interface Stored extends IContextObject {
	posts?: Record<string, Record<string, Entry>>;
	execution?: string;
}

/**
 * The outcome of each post of an execution, kept in the node's context. n8n keeps that through
 * *Retry on Fail*, stores it with the execution, and hands a copy to each retry of the execution. All
 * runs of the node share it, so a post is found by run and item, and the item has to be the same.
 * Another application publishes other posts. The Base URL does not matter: several may lead to one
 * platform.
 */
export class Ledger {
	private readonly entries: Record<string, Entry>;

	private readonly app: string;

	/** The execution that this one is a retry of, over any number of retries; otherwise this one. */
	private readonly firstExecution: string;

	constructor(
		stored: Stored,
		private readonly options: LedgerOptions,
	) {
		const posts = (stored.posts ??= {});
		this.app = options.app ?? Object.keys(posts).at(-1) ?? '';
		this.entries = posts[this.app] ??= {};
		this.firstExecution = stored.execution ??= options.executionId;
	}

	get isEmpty(): boolean {
		return Object.keys(this.entries).length === 0;
	}

	/** Identifies the post in all retries of the execution. */
	keyOf(post: PostIdentity): string {
		return [this.firstExecution, this.app, this.placeOf(post), post.source].join(' ');
	}

	/**
	 * The outcome of this post at an earlier attempt, or earlier in the conversation of an agent.
	 *
	 * @param editedIsNew whether a post counts as another one once its fields and its request changed.
	 * Both have to: an expression such as `$now` changes the request alone.
	 */
	find(post: PostIdentity, editedIsNew: boolean): Entry | undefined {
		const entry = this.entries[this.placeOf(post)] ?? this.sameCall(post);
		if (!entry) return undefined;
		const isSameRequest = post.request !== '' && entry.request === post.request;
		if (isSameRequest) return entry;
		const isEdited = editedIsNew && entry.fields !== post.fields;
		return entry.source === post.source && !isEdited ? entry : undefined;
	}

	record(post: PostIdentity, outcome: RecordedOutcome): void {
		const { source, fields, request } = post;
		this.entries[this.placeOf(post)] = { ...outcome, source, fields, request };
	}

	/** Items of this run whose posts were accepted, at this attempt or an earlier one. */
	acceptedItems(): number[] {
		const ofThisRun = `${this.options.runIndex}:`;
		return Object.entries(this.entries)
			.filter(([place, { state }]) => state === 'accepted' && place.startsWith(ofThisRun))
			.map(([place]) => Number(place.slice(ofThisRun.length)));
	}

	/** Runs a task for a post when no other task for the same post is running. */
	async alone<T>(post: PostIdentity, task: () => Promise<T>): Promise<T> {
		const queues = queuesOf.get(this.entries) ?? new Map<string, Promise<unknown>>();
		queuesOf.set(this.entries, queues);
		// An agent may call its tool twice at once, with arguments that make the same request.
		const inside =
			this.options.isTool && post.request
				? async () => await enqueue(queues, `request:${post.request}`, task)
				: task;
		return await enqueue(queues, this.placeOf(post), inside);
	}

	private placeOf({ itemIndex, source }: PostIdentity): string {
		const { runIndex, isTool } = this.options;
		return isTool ? `tool:${source}` : `${runIndex}:${itemIndex}`;
	}

	/** An agent's call with other arguments that makes the same request. */
	private sameCall({ request }: PostIdentity): Entry | undefined {
		if (!this.options.isTool || request === '') return undefined;
		return Object.values(this.entries).find((entry) => entry.request === request);
	}
}
