import { createHash } from 'node:crypto';
import { jsonStringify, type IContextObject, type IExecuteFunctions } from 'n8n-workflow';
import { argumentsOf } from '../items/agentTool';
import type { PostValues } from './readers';

/** Identifies a post within an execution by its place and by digests. */
export interface PostIdentity {
	/** The run and the item, or the request if an agent calls the node. */
	place: string;
	/** Digest of the input item, or of the arguments of an agent's call. */
	source: string;
	/** Digest of the request body; empty if the fields could not be read. */
	request: string;
	/**
	 * Whether an agent calls the node. n8n counts each call, and each retry of a call, as a run of its
	 * own.
	 */
	isCall: boolean;
}

/** Facts with which a user can find a post on the platform. */
export interface Clues {
	/** ISO 8601 time of sending; absent if this execution did not send the post. */
	sent_at?: string;
	/** The ID of the account; absent if it could not be read. */
	social_account_id?: string;
	text_beginning?: string;
}

/** A post whose outcome is unknown, because no usable response arrived. */
export interface UnknownPost {
	state: 'unknown';
	clues: Clues;
	/** The reason why the outcome is unknown. In a message, this text follows a colon. */
	reason: string;
}

/** The outcome of a post. It contains no secrets. */
export type RecordedOutcome = { state: 'accepted'; output: object } | UnknownPost;

/** The outcome of a post as n8n stores it with the execution. */
type LedgerEntry = RecordedOutcome & Pick<PostIdentity, 'source' | 'request'>;

/**
 * The data that n8n keeps for the node: the outcomes of posts by application and place, and the ID
 * of the execution from which all retries started.
 */
interface Stored extends IContextObject {
	posts?: Record<string, Record<string, LedgerEntry>>;
	execution?: string;
}

/** Length of a digest in characters (96 bits). */
const DIGEST_LENGTH = 16;

/** Maximum length of the beginning of a text by which a user recognizes a post, in characters. */
const MAX_BEGINNING = 60;

/** Number of code units of a text that are searched for its beginning. A text may be very long. */
const MAX_READ = 1000;

/** Matches an expression that may read the clock. */
const READS_CLOCK = /^=.*(?:\$(?:now|today)\b|\bDate(?:Time)?\b)/s;

/**
 * The outcome of each post of an execution, kept in the node's context. n8n keeps this context
 * during *Retry on Fail*, stores it with the execution, and gives a copy to each retry of the
 * execution. All runs of the node share it, so a post is found by run and item, and only if its item
 * or its request is the same. A post of an agent is found by its request, or if its outcome is
 * unknown, by the arguments of the call. Each application has its own entries, because a post of one
 * application is not a post of another. The Base URL does not matter, because several URLs may lead
 * to the same platform.
 */
export class Ledger {
	private readonly entries;

	/**
	 * The ID of the execution from which a series of retries started; the ID of this execution if it
	 * is not a retry.
	 */
	private readonly firstExecution;

	/** The digests of the items, by their indexes. Items may be large, so each is digested once. */
	private readonly sources: string[] = [];

	/** The number of this run of the node. It is read once, because n8n needs long to provide it. */
	private readonly run;

	/** @param app identifies the application */
	constructor(
		private readonly context: IExecuteFunctions,
		readonly app: string,
	) {
		const stored: Stored = context.getContext('node');
		this.entries = (stored.posts ??= {})[app] ??= {};
		this.firstExecution = stored.execution ??= context.getExecutionId();
		this.run = String(context.getWorkflowDataProxy(0).$runIndex);
	}

	/**
	 * Identifies the post of an item. A post must be found again after the node was edited, or if an
	 * expression returns another value in a retry, so `source` depends only on the input item.
	 *
	 * An agent's post is identified by its request, because the arguments may name the same account or
	 * file in several ways. If *Publish At* reads the clock, the time differs in each call, so the
	 * arguments that the expression names are used in place of the time.
	 *
	 * @param body the request body; undefined if the fields could not be read
	 */
	identify(itemIndex: number, body?: object): PostIdentity {
		const { context, sources } = this;
		const call = argumentsOf(context);
		if (!call) {
			const source = (sources[itemIndex] ??= digestOf(
				context.getInputData()[itemIndex]?.json ?? {},
			));
			const request = body ? digestOf(body) : '';
			return { place: this.placeOf(itemIndex), source, request, isCall: false };
		}
		const { publishAt } = context.getNode().parameters;
		const expression = typeof publishAt === 'string' ? publishAt : '';
		const named = expression.split(/["'`]/);
		const ofTime = Object.entries(call).filter(([name]) => named.includes(name));
		const timed = READS_CLOCK.test(expression) && { ...body, post_date: ofTime };
		const request = body ? digestOf(timed || body) : '';
		return { place: `tool:${request}`, source: digestOf(call), request, isCall: true };
	}

	private placeOf(itemIndex: number) {
		return `${this.run}:${itemIndex}`;
	}

	/**
	 * Finds the outcome that an earlier attempt, or an earlier call of an agent, has recorded for a
	 * post.
	 */
	find({ place, source, request, isCall }: PostIdentity): RecordedOutcome | undefined {
		const own = this.entries[place];
		if (own?.source === source || (request && own?.request === request)) return own;
		if (!isCall) return undefined;
		// *Retry on Fail* repeats a call. An expression may then return another value, so the request
		// may differ.
		const calls = Object.values(this.entries);
		return calls.find((call) => call.source === source && call.state === 'unknown');
	}

	/** Records the outcome of a post. Without an outcome, the record of the post is removed. */
	record({ place, source, request }: PostIdentity, outcome: RecordedOutcome | undefined) {
		if (outcome) this.entries[place] = { ...outcome, source, request };
		else delete this.entries[place];
	}

	/** The number of recorded posts, which were accepted or may have been. */
	get size() {
		return Object.keys(this.entries).length;
	}

	/** Whether the post of an item was accepted, at this attempt or an earlier one. */
	wasAccepted(itemIndex: number) {
		return this.entries[this.placeOf(itemIndex)]?.state === 'accepted';
	}

	/** Returns the parts of the key that identifies a post in all retries of an execution. */
	retryKey({ place, source, isCall }: PostIdentity) {
		// An agent may describe the same post with other arguments.
		const ofItem = isCall ? [] : [source];
		const { context, firstExecution, app } = this;
		return ['retry', context.getNode().name, firstExecution, app, place, ...ofItem];
	}
}

/**
 * Collects the facts that help to find a post on the platform.
 *
 * @param sentAt ISO 8601 time; absent if this execution did not send the post
 */
export function cluesOf(values: PostValues, sentAt?: string): Clues {
	const { social_account_id } = values;
	return { sent_at: sentAt, social_account_id, text_beginning: beginningOf(values) || undefined };
}

/** Returns the beginning of the text of a post, or of its title if it has no text, on one line. */
export function beginningOf({ text, title }: PostValues) {
	const beginning = (text || title || '').slice(0, MAX_READ).trim().replace(/\s+/g, ' ');
	return [...beginning].slice(0, MAX_BEGINNING).join('');
}

/**
 * Computes the digest of a value. The value may contain itself, because a Code node can output such
 * objects.
 */
export function digestOf(value: unknown) {
	const hash = createHash('sha256').update(toDigestText(value));
	return hash.digest('base64url').slice(0, DIGEST_LENGTH);
}

function toDigestText(value: unknown) {
	try {
		return JSON.stringify(value);
	} catch {
		return jsonStringify(value, { replaceCircularRefs: true });
	}
}
