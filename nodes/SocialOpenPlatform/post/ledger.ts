import { createHash } from 'node:crypto';
import {
	replaceCircularReferences,
	traverseNodeParameters,
	type FromAIArgument,
	type IContextObject,
	type IExecuteFunctions,
} from 'n8n-workflow';
import { isTool } from '../items/run';
import { enqueue, type Queues } from '../items/taskQueue';
import { readPublishTime } from './publishTime';
import type { PostValues } from './readers';

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
	 * Digest of the request body; empty when the fields could not be read. If an agent calls the
	 * node, digest of the arguments for the publish time, and of the body without it.
	 */
	request: string;
}

/** The outcome of a post. It contains no secrets. */
export type RecordedOutcome =
	{ state: 'accepted'; output: object } | { state: 'unknown'; clues: Clues; reason: string };

/** The outcome of a post as n8n stores it with the execution. */
type Entry = RecordedOutcome & Omit<PostIdentity, 'itemIndex'>;

/** Length of a digest in characters (96 bits). */
const LENGTH = 16;

/** Number of characters of a text that are enough to recognize a post. */
const MAX_BEGINNING = 60;

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
	private readonly entries;

	/**
	 * The ID of the execution from which this one was retried, directly or over several retries;
	 * otherwise its own ID.
	 */
	private readonly firstExecution;

	private readonly runIndex: unknown;

	private readonly items;

	private readonly timezone;

	/**
	 * Whether an AI agent calls the node. In this case, n8n counts each call and each retry of a call
	 * as a run.
	 */
	private readonly isTool;

	/** Whether an agent's post may have a publish time that the clock determines. */
	private readonly isTimed;

	/** The agent's arguments for the publish time. */
	private readonly timeArguments: FromAIArgument[] = [];

	/** @param app identifies the application */
	constructor(
		context: IExecuteFunctions,
		private readonly app: string,
	) {
		const stored: Stored = context.getContext('node');
		this.entries = (stored.posts ??= {})[app] ??= {};
		this.firstExecution = stored.execution ??= context.getExecutionId();
		this.runIndex = context.getWorkflowDataProxy(0).$runIndex;
		this.items = context.getInputData();
		this.timezone = context.getTimezone();
		this.isTool = isTool(context);
		const { publishTime, publishAt } = context.getNode().parameters;
		// With *Now*, a time in *Other Fields* is part of the post.
		this.isTimed = this.isTool && publishTime !== 'now';
		if (this.isTool) traverseNodeParameters({ publishTime, publishAt }, this.timeArguments);
	}

	/**
	 * Identifies the post of an item. A post stays the same when the node is edited, or when an
	 * expression returns another value in a retry, so `source` depends only on the input item. A
	 * post of an agent stays the same when *Publish At* reads the clock, so only the agent's
	 * arguments for its time count. The other arguments may name the same account or file in
	 * several ways.
	 *
	 * @param body the request; undefined when the fields could not be read
	 */
	identify(itemIndex: number, body?: object): PostIdentity {
		const input = this.items[itemIndex]?.json ?? {};
		// n8n adds an ID to each call of an agent.
		const source = digestOf(this.isTool ? { ...input, toolCallId: undefined } : input);
		if (!body) return { itemIndex, source, request: '' };
		const times = this.timeArguments.map(({ key }) => {
			const given = input[key];
			return readPublishTime(given, this.timezone)?.toMillis() ?? given;
		});
		const request = digestOf(times, this.isTimed ? { ...body, post_date: undefined } : body);
		return { itemIndex, source, request };
	}

	/** The parts of the key that identifies a post in all retries of the execution. */
	keyOf(post: PostIdentity) {
		// An agent may describe the same post with other arguments.
		const source = this.isTool ? [] : [post.source];
		return [this.firstExecution, this.app, this.placeOf(post), ...source];
	}

	/** The outcome of a post at an earlier attempt, or earlier in the conversation of an agent. */
	find(post: PostIdentity): RecordedOutcome | undefined {
		const { source, request } = post;
		const own = this.entries[this.placeOf(post)];
		if (own?.source === source || (request && own?.request === request)) return own;
		if (!this.isTool) return undefined;
		// *Retry on Fail* repeats a call, and an expression may then return another value.
		const calls = Object.values(this.entries);
		return calls.find((call) => call.source === source && call.state === 'unknown');
	}

	/** Records the outcome of a post, or that it was not accepted. */
	record(post: PostIdentity, outcome: RecordedOutcome | undefined) {
		const { source, request } = post;
		if (outcome) this.entries[this.placeOf(post)] = { ...outcome, source, request };
		else delete this.entries[this.placeOf(post)];
	}

	/** The number of posts of this execution that were accepted, or may have been. */
	get size() {
		return Object.keys(this.entries).length;
	}

	/**
	 * Indexes of the items in this run whose posts were accepted, at this attempt or an earlier one.
	 */
	acceptedItems() {
		const ofThisRun = `${String(this.runIndex)}:`;
		return Object.entries(this.entries)
			.filter(([place, { state }]) => state === 'accepted' && place.startsWith(ofThisRun))
			.map(([place]) => Number(place.slice(ofThisRun.length)));
	}

	/**
	 * Runs a task for a post after all earlier tasks for the same post have ended. Only an agent
	 * can call for the same post several times at once.
	 */
	async runExclusively<T>(post: PostIdentity, task: () => Promise<T>): Promise<T> {
		if (!this.isTool) return await task();
		const queues = queuesOf.get(this.entries) ?? new Map<string, Promise<unknown>>();
		queuesOf.set(this.entries, queues);
		const ofCall = async () => await enqueue(queues, `call:${post.source}`, task);
		return await enqueue(queues, this.placeOf(post), ofCall);
	}

	private placeOf({ itemIndex, request }: PostIdentity) {
		return this.isTool ? `tool:${request}` : `${String(this.runIndex)}:${itemIndex}`;
	}
}

/** Computes the digest of any values that an item may contain. */
export function digestOf(...values: unknown[]) {
	const hash = createHash('sha256');
	for (const value of values) {
		const text = toJson(value);
		hash.update(`${text.length}:${text}`);
	}
	return hash.digest('base64url').slice(0, LENGTH);
}

/**
 * Converts a value to JSON. A Code node may output objects that contain themselves, or BigInt
 * values, which JSON cannot represent.
 */
function toJson(value: unknown) {
	try {
		return JSON.stringify(value) ?? '';
	} catch {
		const bigIntAsText = (_: string, part: unknown) =>
			typeof part === 'bigint' ? String(part) : part;
		return JSON.stringify(replaceCircularReferences(value), bigIntAsText) ?? '';
	}
}

/**
 * Collects the facts that help to find a post on the platform.
 *
 * @param sentAt ISO 8601 time; absent when this execution did not send the post
 */
export function cluesOf(values: PostValues, sentAt?: string): Clues {
	const { social_account_id, text, title } = values;
	const beginning = text || title;
	return {
		...(sentAt && { sent_at: sentAt }),
		...(social_account_id && { social_account_id }),
		...(beginning && { text_beginning: [...beginning].slice(0, MAX_BEGINNING).join('') }),
	};
}
