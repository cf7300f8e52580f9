import type { IContextObject } from 'n8n-workflow';
import { enqueue, type Queues } from '../items/taskQueue';

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
	/** Digest of the input item, which contains an agent's arguments. */
	source: string;
	/**
	 * Digest of the request body; empty when the fields could not be read. If an agent calls the node,
	 * digest of the arguments for the publish time, and of the body without it.
	 */
	request: string;
}

/** The outcome of a post. It contains no secrets. */
export type RecordedOutcome =
	{ state: 'accepted'; output: object } | { state: 'unknown'; clues: Clues; reason: string };

/** The outcome of a post as n8n stores it with the execution. */
type Entry = RecordedOutcome & Omit<PostIdentity, 'itemIndex'>;

/** Data about the run of the node to which the posts belong. */
interface LedgerOptions {
	runIndex: number;
	/**
	 * Whether an AI agent calls the node. In this case, n8n counts each call and each retry of a call
	 * as a run.
	 */
	isTool: boolean;
	executionId: string;
	/** Identifies the application. */
	app: string;
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
 * item is the same. A post of an agent is found by its request. Each application has its own
 * entries, because its posts are different posts. The Base URL does not matter, because several
 * URLs may lead to the same platform.
 */
export class Ledger {
	private readonly entries: Record<string, Entry>;

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
		this.entries = posts[options.app] ??= {};
		this.firstExecution = stored.execution ??= options.executionId;
	}

	/** The parts of the key that identifies a post in all retries of the execution. */
	keyOf(post: PostIdentity): string[] {
		return [this.firstExecution, this.options.app, this.placeOf(post), post.source];
	}

	/** The outcome of a post at an earlier attempt, or earlier in the conversation of an agent. */
	find(post: PostIdentity): RecordedOutcome | undefined {
		const { source, request } = post;
		const own = this.entries[this.placeOf(post)];
		if (own?.source === source || (request && own?.request === request)) return own;
		if (!this.options.isTool) return undefined;
		// *Retry on Fail* repeats a call, and an expression may then return another value.
		const calls = Object.values(this.entries);
		return calls.find((call) => call.source === source && call.state === 'unknown');
	}

	/** Records the outcome of a post, or that it was not accepted. */
	record(post: PostIdentity, outcome: RecordedOutcome | undefined): void {
		const { source, request } = post;
		if (outcome) this.entries[this.placeOf(post)] = { ...outcome, source, request };
		else delete this.entries[this.placeOf(post)];
	}

	/** The number of posts of this execution that were accepted, or may have been. */
	get size(): number {
		return Object.keys(this.entries).length;
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
		const inside = this.options.isTool
			? async () => await enqueue(queues, `call:${post.source}`, task)
			: task;
		return await enqueue(queues, this.placeOf(post), inside);
	}

	private placeOf({ itemIndex, request }: PostIdentity): string {
		const { runIndex, isTool } = this.options;
		return isTool ? `tool:${request}` : `${runIndex}:${itemIndex}`;
	}
}
