import type { IContextObject } from 'n8n-workflow';
import type { Envelope } from '../protocol/envelope';
import { enqueue, type Queues } from './taskQueue';

/** Facts with which a user can find a post on the platform. */
export interface Clues {
	/** ISO 8601 time of sending; absent when this execution did not send the post. */
	sent_at?: string;
	/** Absent when the account could not be read. */
	social_account_id?: string;
	text_beginning?: string;
}

/** Identifies a post within an execution by the position of its item and by digests. */
export interface PostIdentity {
	itemIndex: number;
	/**
	 * Digest of the input item. If an agent calls the node, digest of the agent's arguments and the
	 * node's fields.
	 */
	source: string;
	/**
	 * Digest of the node's fields before expressions are evaluated. It changes only when a user edits
	 * the node.
	 */
	fields: string;
	/** Digest of the request body; empty when the fields could not be read. */
	request: string;
}

/** The outcome of a post as n8n stores it with the execution. It contains no secrets. */
export type RecordedOutcome =
	| { state: 'accepted'; sent_at: string; envelope: Envelope }
	| { state: 'unknown'; clues: Clues; reason: string }
	| { state: 'refused'; sent_at: string };

export type Entry = RecordedOutcome & Omit<PostIdentity, 'itemIndex'>;

/** Data about the run of the node to which the posts belong. */
export interface LedgerOptions {
	runIndex: number;
	/**
	 * Whether an AI agent calls the node. In this case, n8n counts each call and each retry of a call
	 * as a run.
	 */
	isTool: boolean;
	executionId: string;
	/** Identifies the application; undefined if the credential cannot be read. */
	app?: string;
}

/** Queues of tasks, by the entries of an execution's ledger. */
const queuesOf = new WeakMap<object, Queues>();

/**
 * The data that n8n keeps for the node: the entries of each application, and the ID of the first
 * execution.
 */
interface Stored extends IContextObject {
	posts?: Record<string, Record<string, Entry>>;
	execution?: string;
}

/**
 * The outcome of each post of an execution, kept in the node's context. n8n keeps this context
 * during *Retry on Fail*, stores it with the execution, and gives a copy to each retry of the
 * execution. All runs of the node share it, so a post is found by run and item, and only if its
 * item is the same. Each application has its own entries, because its posts are different posts.
 * The Base URL does not matter, because several URLs may lead to the same platform.
 */
export class Ledger {
	private readonly entries: Record<string, Entry>;

	private readonly app: string;

	/**
	 * The ID of the execution from which this one was retried, directly or over several retries;
	 * otherwise its own ID.
	 */
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

	/** The key that identifies a post in all retries of the execution. */
	keyOf(post: PostIdentity): string {
		return [this.firstExecution, this.app, this.placeOf(post), post.source].join(' ');
	}

	/**
	 * The outcome of a post at an earlier attempt, or earlier in the conversation of an agent.
	 *
	 * @param editedIsNew whether an edited post counts as a new one. A post is edited if both its
	 * fields and its request have changed: an expression such as `$now` changes only the request.
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

	/**
	 * Indexes of the items in this run whose posts were accepted, at this attempt or an earlier one.
	 */
	acceptedItems(): number[] {
		const ofThisRun = `${this.options.runIndex}:`;
		return Object.entries(this.entries)
			.filter(([place, { state }]) => state === 'accepted' && place.startsWith(ofThisRun))
			.map(([place]) => Number(place.slice(ofThisRun.length)));
	}

	/** Runs a task for a post after all earlier tasks for the same post have ended. */
	async runExclusively<T>(post: PostIdentity, task: () => Promise<T>): Promise<T> {
		const queues = queuesOf.get(this.entries) ?? new Map<string, Promise<unknown>>();
		queuesOf.set(this.entries, queues);
		// An agent may call its tool twice at the same time, with different arguments that create the
		// same request.
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

	/** An earlier call of the agent that created the same request from other arguments. */
	private sameCall({ request }: PostIdentity): Entry | undefined {
		if (!this.options.isTool || request === '') return undefined;
		return Object.values(this.entries).find((entry) => entry.request === request);
	}
}
