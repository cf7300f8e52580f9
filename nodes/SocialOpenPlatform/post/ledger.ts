import type { IContextObject, IExecuteFunctions } from 'n8n-workflow';
import type { PostIdentity } from './identity';
import type { PostValues } from './readers';

/** Facts with which a user can find a post on the platform. */
export interface Clues {
	/** ISO 8601 time of sending; absent when this execution did not send the post. */
	sent_at?: string;
	/** The account; absent when it could not be read. */
	social_account_id?: string;
	text_beginning?: string;
}

/** A post that was sent without a usable response. */
export interface UnknownPost {
	state: 'unknown';
	clues: Clues;
	/** The event that replaced the response. It follows a colon in a message. */
	reason: string;
}

/** The outcome of a post. It contains no secrets. */
export type RecordedOutcome = { state: 'accepted'; output: object } | UnknownPost;

/** The outcome of a post as n8n stores it with the execution. */
type LedgerEntry = RecordedOutcome & Pick<PostIdentity, 'source' | 'request'>;

/** Number of characters of a text that are enough to recognize a post. */
const MAX_BEGINNING = 60;

/**
 * The data that n8n keeps for the node: the entries of each application, and the ID of the first
 * execution.
 */
interface Stored extends IContextObject {
	posts?: Record<string, Record<string, LedgerEntry>>;
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
	readonly firstExecution;

	/** @param app identifies the application */
	constructor(context: IExecuteFunctions, app: string) {
		const stored: Stored = context.getContext('node');
		this.entries = (stored.posts ??= {})[app] ??= {};
		this.firstExecution = stored.execution ??= context.getExecutionId();
	}

	/** The outcome of a post at an earlier attempt, or earlier in the conversation of an agent. */
	find({ place, source, request, isCall }: PostIdentity): RecordedOutcome | undefined {
		const own = this.entries[place];
		if (own?.source === source || (request && own?.request === request)) return own;
		if (!isCall) return undefined;
		// *Retry on Fail* repeats a call, and an expression may then return another value.
		const calls = Object.values(this.entries);
		return calls.find((call) => call.source === source && call.state === 'unknown');
	}

	/** Records the outcome of a post, or that it was not accepted. */
	record({ place, source, request }: PostIdentity, outcome: RecordedOutcome | undefined) {
		if (outcome) this.entries[place] = { ...outcome, source, request };
		else delete this.entries[place];
	}

	/** The number of posts of this execution that were accepted, or may have been. */
	get size() {
		return Object.keys(this.entries).length;
	}

	/** Whether the post at a place was accepted, at this attempt or an earlier one. */
	isAccepted(place: string) {
		return this.entries[place]?.state === 'accepted';
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
