import { hash } from 'node:crypto';
import { jsonStringify, type IContextObject, type IExecuteFunctions } from 'n8n-workflow';
import { argumentsOf } from '../items/agentTool';
import type { PostValues } from './readers';

/** Identifies a post within an execution by its place and by digests. */
export interface PostIdentity {
	/** The run and the item, or the request if an agent calls the node. */
	place: string;
	/** Digest of the input item, or of the arguments of an agent's call. */
	sourceDigest: string;
	/** Digest of the request body, or an empty string if there is no complete body. */
	requestDigest: string;
	/**
	 * Whether an agent calls the node. n8n counts each call, and each retry of a call, as a separate
	 * run, so run and item do not identify the post.
	 */
	isCall: boolean;
}

/** Facts with which a user can find a post on the platform. */
export interface Clues {
	/** ISO 8601 time when the post was sent, if it is known. */
	sent_at?: string;
	social_account_id?: string;
	text_beginning?: string;
}

/** An outcome that is unknown because no usable response arrived. */
export interface UnknownOutcome {
	state: 'unknown';
	clues: Clues;
	/** The reason why the outcome is unknown. In a message, the reason follows a colon. */
	reason: string;
}

/** The outcome of a post. It contains no secrets. */
type RecordedOutcome = { state: 'accepted'; output: object } | UnknownOutcome;

/** The outcome of a post as n8n stores it with the execution. */
type LedgerEntry = RecordedOutcome & Pick<PostIdentity, 'sourceDigest' | 'requestDigest'>;

/**
 * The node's data in n8n: the outcomes of posts by application and place, and the ID of the
 * execution that first reached the node in a series of retries.
 */
interface Stored extends IContextObject {
	posts?: Record<string, Record<string, LedgerEntry>>;
	execution?: string;
}

/** Length of a digest, in characters (96 bits). */
const DIGEST_LENGTH = 16;

/** Maximum length of a text's beginning in messages and clues, in characters. */
const MAX_BEGINNING = 60;

/** Maximum number of UTF-16 code units to read from the start of a text, which may be very long. */
const MAX_READ = 1000;

/** Matches an expression that may read the clock. */
const READS_CLOCK = /^=.*(?:\$(?:now|today)\b|\bDate(?:Time)?\b)/s;

/**
 * Keeps the outcomes of posts in the node's context. n8n preserves this context during *Retry on
 * Fail*, stores it with the execution, and copies it to each retry of the execution. All runs of
 * the node share it, so a post is found by run and item, and only if the item or the request is
 * unchanged. An agent's post is found by its request or, if its outcome is unknown, by the
 * arguments of the call. Entries are separate for each App ID, but not for each Base URL, because
 * several URLs may lead to the same platform.
 */
export class Ledger {
	private readonly entries;

	/** Digests of the items, by index. Items may be large, so each digest is computed only once. */
	private readonly sourceDigests: string[] = [];

	/** Index of this run of the node. It is read once, because n8n takes long to provide it. */
	private readonly runIndex;

	/** The arguments of an agent's call. */
	private readonly call;

	/** @param app digest of the App ID */
	constructor(
		private readonly context: IExecuteFunctions,
		readonly app: string,
	) {
		const stored: Stored = context.getContext('node');
		this.entries = (stored.posts ??= {})[app] ??= {};
		this.runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
		this.call = argumentsOf(context);
	}

	/**
	 * Identifies the post of an item. `sourceDigest` depends only on the input item, so that a retry
	 * finds the post even if the node was edited or an expression returns another value.
	 *
	 * An agent's post is identified by its request, because different arguments may refer to the same
	 * account or file. If *Publish At* reads the clock, the time differs in each call. The arguments
	 * to which the expression refers are then used in place of the time.
	 *
	 * @param body the request body, if it is complete
	 */
	identify(itemIndex: number, body?: object): PostIdentity {
		const { context, sourceDigests, call } = this;
		if (!call) {
			const sourceDigest = (sourceDigests[itemIndex] ??= digestOf(
				context.getInputData()[itemIndex]?.json ?? {},
			));
			const requestDigest = body ? digestOf(body) : '';
			return { place: this.placeOf(itemIndex), sourceDigest, requestDigest, isCall: false };
		}
		const { publishAt } = context.getNode().parameters;
		const expression = typeof publishAt === 'string' ? publishAt : '';
		const named = expression.split(/["'`]/);
		const ofTime = Object.entries(call).filter(([name]) => named.includes(name));
		const timed = READS_CLOCK.test(expression) && { ...body, post_date: ofTime };
		const requestDigest = body ? digestOf(timed || body) : '';
		return {
			place: `tool:${requestDigest}`,
			sourceDigest: digestOf(call),
			requestDigest,
			isCall: true,
		};
	}

	private placeOf(itemIndex: number) {
		return `${this.runIndex}:${itemIndex}`;
	}

	/** Finds the outcome that an earlier attempt, or an agent's earlier call, recorded for a post. */
	find({ place, sourceDigest, requestDigest, isCall }: PostIdentity): RecordedOutcome | undefined {
		const own = this.entries[place];
		if (
			own?.sourceDigest === sourceDigest ||
			(requestDigest && own?.requestDigest === requestDigest)
		)
			return own;
		if (!isCall) return undefined;
		// When *Retry on Fail* repeats a call, an expression may return another value, so the call is
		// also found by its arguments.
		const calls = Object.values(this.entries);
		return calls.find((call) => call.sourceDigest === sourceDigest && call.state === 'unknown');
	}

	/** Records the outcome of a post, or removes its record if there is no outcome. */
	record(
		{ place, sourceDigest, requestDigest }: PostIdentity,
		outcome: RecordedOutcome | undefined,
	) {
		if (outcome) this.entries[place] = { ...outcome, sourceDigest, requestDigest };
		else delete this.entries[place];
	}

	/** The number of posts that were accepted or may have been accepted. */
	get size() {
		return Object.keys(this.entries).length;
	}

	/** Returns the state of an item's post, from this attempt or an earlier one. */
	stateOf(itemIndex: number) {
		return this.entries[this.placeOf(itemIndex)]?.state;
	}

	/** Returns the parts of a key that identifies a post in all retries of an execution. */
	retryKey({ place, sourceDigest, isCall }: PostIdentity) {
		// An agent may describe the same post with other arguments, so the key does not include them.
		const ofItem = isCall ? [] : [sourceDigest];
		const { context, app } = this;
		const { execution }: Stored = context.getContext('node');
		return ['retry', context.getNode().name, execution, app, place, ...ofItem];
	}
}

/**
 * Collects the facts that help to find a post on the platform.
 *
 * @param sentAt ISO 8601 time when the post was sent, if it is known
 */
export function cluesOf(values: PostValues, sentAt?: string): Clues {
	const { social_account_id } = values;
	return { sent_at: sentAt, social_account_id, text_beginning: beginningOf(values) || undefined };
}

/** Returns the beginning of a post's text, or else of its title, on one line. */
export function beginningOf({ text, title }: PostValues) {
	const beginning = (text || title || '').slice(0, MAX_READ).trim().replace(/\s+/g, ' ');
	return [...beginning].slice(0, MAX_BEGINNING).join('');
}

/** Returns a digest. The value may contain circular references, which a Code node can output. */
export function digestOf(value: unknown) {
	return hash('sha256', toDigestText(value), 'base64url').slice(0, DIGEST_LENGTH);
}

function toDigestText(value: unknown) {
	try {
		return JSON.stringify(value);
	} catch {
		return jsonStringify(value, { replaceCircularRefs: true });
	}
}
