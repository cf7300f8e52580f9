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

/** The response to an accepted post, in both forms that an item can output. */
export interface PostResponse {
	envelope: Envelope;
	/** The action record of the platform and its `request_id`. */
	output: object;
}

type NotAccepted = { state: 'unknown'; clues: Clues; reason: string } | { state: 'refused' };

/** The outcome of a post. It contains no secrets. */
export type RecordedOutcome =
	/** `isWhole` tells whether the item outputs the whole envelope. */
	({ state: 'accepted'; isWhole?: boolean } & PostResponse) | NotAccepted;

type Digests = Omit<PostIdentity, 'itemIndex'>;

/**
 * The outcome of a post as n8n stores it with the execution. n8n stores an object only once, so the
 * output of an accepted item costs nothing here. The whole response is derived from it, unless it
 * contains more fields than usual.
 */
type Entry = (
	| { state: 'accepted'; output: object; message: Envelope['message'] }
	| { state: 'accepted'; envelope: Envelope }
	| NotAccepted
) &
	/** The stored digests, one after the other. Earlier versions have stored three whole digests. */
	({ digests: string } | Digests);

/**
 * Number of characters of each digest that are stored (48 bits). An item is compared only with the
 * entry at its own position, and the calls of an agent with each other. If all of 5,000 items have
 * changed, the probability that one of them matches its entry by chance is 1 in 28 billion.
 */
const STORED_LENGTH = 8;

function joinDigests({ source, fields, request }: Digests): string {
	return [source, fields, request].map((digest) => digest.slice(0, STORED_LENGTH)).join('');
}

/** The digests of a post or of an entry, in their stored length. */
function digestsOf(post: Digests | { digests: string }): Digests {
	const digests = 'digests' in post ? post.digests : joinDigests(post);
	return {
		source: digests.slice(0, STORED_LENGTH),
		fields: digests.slice(STORED_LENGTH, 2 * STORED_LENGTH),
		request: digests.slice(2 * STORED_LENGTH),
	};
}

/** The action record in a response and its `request_id`, as items output them. */
export function outputOf({ requestId, data }: Envelope): object {
	return { request_id: requestId, ...(data as object) };
}

/** The fields of a response that are derived from the output. */
const USUAL_FIELDS = ['requestId', 'success', 'message', 'code', 'data'];

function toStored(outcome: RecordedOutcome) {
	if (outcome.state !== 'accepted') return outcome;
	const { state, envelope, output, isWhole } = outcome;
	const { message, data } = envelope;
	const isUsual =
		Object.keys(envelope).every((name) => USUAL_FIELDS.includes(name)) &&
		!Object.hasOwn(data as object, 'request_id');
	return isUsual && !isWhole ? { state, output, message } : { state, envelope };
}

function fromStored(entry: Entry): RecordedOutcome {
	if (entry.state !== 'accepted') return entry;
	const { state } = entry;
	if ('envelope' in entry)
		return { state, envelope: entry.envelope, output: outputOf(entry.envelope) };
	const { output, message } = entry;
	const { request_id: requestId, ...data } = output as { request_id?: string };
	return { state, output, envelope: { requestId, success: true, message, code: 200, data } };
}

/** Data about the run of the node to which the posts belong. */
interface LedgerOptions {
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
	find(post: PostIdentity, editedIsNew: boolean): RecordedOutcome | undefined {
		const entry = this.entryOf(post);
		if (!entry) return undefined;
		const [before, now] = [digestsOf(entry), digestsOf(post)];
		const isSameRequest = now.request !== '' && before.request === now.request;
		const isEdited = editedIsNew && before.fields !== now.fields;
		const isSamePost = isSameRequest || (before.source === now.source && !isEdited);
		return isSamePost ? fromStored(entry) : undefined;
	}

	/** Whether the request of a post is the same as at an earlier attempt. */
	isSameRequest(post: PostIdentity): boolean {
		const entry = this.entryOf(post);
		return entry !== undefined && digestsOf(entry).request === digestsOf(post).request;
	}

	record(post: PostIdentity, outcome: RecordedOutcome): void {
		this.entries[this.placeOf(post)] = { ...toStored(outcome), digests: joinDigests(post) };
	}

	/**
	 * Returns a function that records that a post was not accepted. An accepted or unknown outcome
	 * that is recorded now stays, even if it is that of the post before an edit.
	 *
	 * @param before the unknown outcome to record if the ledger contains none for this post
	 */
	notAcceptedRecorder(post: PostIdentity, before?: RecordedOutcome): () => void {
		const place = this.placeOf(post);
		const known = this.find(post, false) && this.entries[place];
		return () => {
			if (known && known.state !== 'refused') this.entries[place] = known;
			else this.record(post, before ?? { state: 'refused' });
		};
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

	private entryOf(post: PostIdentity): Entry | undefined {
		const own = this.entries[this.placeOf(post)];
		return own?.state === 'accepted' ? own : (this.sameCall(post) ?? own);
	}

	/** An earlier call of the agent that sent the same request and may have been accepted. */
	private sameCall(post: PostIdentity): Entry | undefined {
		const { request } = digestsOf(post);
		if (!this.options.isTool || request === '') return undefined;
		const calls = Object.values(this.entries).filter((one) => digestsOf(one).request === request);
		return (
			calls.find(({ state }) => state === 'accepted') ??
			calls.find(({ state }) => state === 'unknown')
		);
	}
}
