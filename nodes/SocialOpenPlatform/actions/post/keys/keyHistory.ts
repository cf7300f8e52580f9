import type { DeduplicationScope, IExecuteFunctions } from 'n8n-workflow';
import { putNewest } from '../../../protocol/bounded';
import { stopped, type Failed, type Outcome, type Stopped } from '../../../transport/outcome';
import type { PostResponse } from '../../ledger';
import { enqueue, type Queues } from '../../taskQueue';
import { KeyClaim, KeyRecheck } from './keyClaim';
import { KeyList, type ListAccess } from './keyList';

/** The known facts about the first post with a key. */
export interface FirstPost {
	outcome: 'accepted' | 'unknown';
	/**
	 * When the post was sent, and the IDs in the platform's response. Only the process that sent the
	 * post knows them.
	 */
	[fact: string]: unknown;
}

/** The result for a key that was used before. */
interface UsedKey {
	kind: 'used';
	first: FirstPost;
}

/** A post that the platform has accepted. */
export interface AcceptedPost extends PostResponse {
	/** ISO 8601 time. */
	sentAt: string;
}

/** A key and its kind. Keys with the same text but different kinds are different keys. */
export interface KeyName {
	kind: 'post' | 'retry';
	key: string;
}

/** A key that is claimed for a post. */
export interface ClaimedKey {
	/** Whether the outcome of the first post with the key is unknown. */
	isUnknown: boolean;
	/**
	 * Records that a request is about to be sent. It must be called before each sending; only the
	 * first call takes time.
	 *
	 * @returns the outcome of a request that must not be sent
	 */
	confirm: () => Promise<Failed | Stopped | undefined>;
}

/**
 * How the entries of each kind begin in n8n's list. The first prefix must stay, because earlier
 * versions have written it.
 */
const PREFIXES: Record<KeyName['kind'], string> = {
	post: 'social-open-platform',
	retry: 'social-open-platform-retry',
};

const UNAVAILABLE: Record<KeyName['kind'], string> = {
	post: "Nothing was sent: n8n could not look up 'Deduplication Key' in its database",
	retry: 'Nothing was sent: n8n could not check in its database what other retries have sent',
};

/**
 * Accepted posts whose facts this process remembers. The list itself only contains that they were
 * accepted.
 */
const MAX_REMEMBERED = 1000;

/** Lists that this process remembers at the same time. */
const MAX_LISTS = 1000;

/** Facts about accepted posts, by the workflow, the node and the key. */
const remembered = new Map<string, FirstPost>();
const queues: Queues = new Map();
const lists = new Map<string, SharedList>();

interface SharedList {
	list: KeyList;
	recheck: KeyRecheck;
}

function listAt(place: string): SharedList {
	const list = new KeyList();
	const shared = lists.get(place) ?? { list, recheck: new KeyRecheck(list) };
	putNewest(lists, place, shared, MAX_LISTS);
	return shared;
}

/** The keys of earlier posts, which n8n's database keeps for a node or a workflow. */
export class KeyHistory {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly place: string,
		private readonly access: ListAccess,
		private readonly shared: SharedList,
	) {}

	/**
	 * Opens the history of a node or a workflow.
	 *
	 * @param size minimum number of keys to keep; the oldest keys are evicted first
	 * @returns a failure if the workflow was never saved, because n8n then keeps no history
	 */
	static of(context: IExecuteFunctions, scope: DeduplicationScope, size = 0): KeyHistory | Failed {
		const { id } = context.getWorkflow();
		if (!id) {
			const message = 'Nothing was sent: this workflow was never saved';
			const description =
				"'Deduplication Key' needs a saved workflow to keep its keys. Save the workflow, then run it.";
			return { kind: 'invalid', failure: { message, description } };
		}
		const place = JSON.stringify([id, scope === 'node' ? context.getNode().id : '']);
		const access = { helpers: context.helpers, scope, size };
		return new KeyHistory(context, place, access, listAt(place));
	}

	/**
	 * Sends a post for a key that was not used before. Within this process, a key has only one user
	 * at a time.
	 *
	 * @param resendUnknown whether to send the post although the outcome of the first post is unknown
	 * @returns the outcome of `send`, or the first post with this key
	 */
	async sendOnce(
		name: KeyName,
		resendUnknown: boolean,
		send: (claimed: ClaimedKey) => Promise<Outcome<AcceptedPost>>,
	): Promise<Outcome<AcceptedPost> | UsedKey> {
		const id = this.idOf(name);
		const use = async () => {
			const claim = this.claimOf(name);
			const used = await this.tryClaim(name, claim, 'take');
			if (used && 'failure' in used) return used;
			if (used && (used.first.outcome === 'accepted' || !resendUnknown)) return used;
			let usedMeanwhile: UsedKey | undefined;
			const confirm = async () => {
				const result = used ? undefined : await this.tryClaim(name, claim, 'confirm');
				if (!result || 'failure' in result) return result;
				usedMeanwhile = result;
				return stopped;
			};
			const sent = await send({ isUnknown: Boolean(used), confirm }).catch((error: Error) => ({
				error,
			}));
			if (usedMeanwhile) return usedMeanwhile;
			// A resent post that was not accepted leaves the key as it is: the first post may be
			// published, and another process may have recorded its own outcome meanwhile.
			const isNew =
				'kind' in sent &&
				/^(accepted|unknown)$/.test(sent.kind) &&
				!('failure' in sent && sent.failure.isFromEarlierAttempt);
			if (!used || isNew) {
				// If recording the key fails, the outcome of the post is still returned. The key then stays
				// taken.
				await this.recordOutcome(id, sent, claim).catch((error: Error) => {
					this.context.logger.warn(`n8n could not record the outcome for a key: ${error.message}`);
				});
			}
			return 'error' in sent ? await Promise.reject(sent.error) : sent;
		};
		return await enqueue(queues, id, async () => await this.shared.list.use(use));
	}

	/** Clears a key that the user has chosen. */
	async forget(key: string): Promise<void> {
		const name: KeyName = { kind: 'post', key };
		const id = this.idOf(name);
		await enqueue(queues, id, async () => {
			remembered.delete(id);
			await this.claimOf(name).forget();
		});
	}

	/** Clears every key of the list. All nodes of a workflow share the workflow's list. */
	async forgetAll(): Promise<void> {
		for (const id of remembered.keys()) {
			if (id.startsWith(this.place)) remembered.delete(id);
		}
		await this.shared.list.clear(this.access);
	}

	/**
	 * Takes or confirms a key.
	 *
	 * @returns undefined if this post may use the key; otherwise the first post with this key, or the
	 * failure of n8n's database
	 */
	private async tryClaim(
		name: KeyName,
		claim: KeyClaim,
		what: 'take' | 'confirm',
	): Promise<UsedKey | Failed | undefined> {
		const id = this.idOf(name);
		const isCancelled = () => this.context.getExecutionCancelSignal()?.aborted === true;
		try {
			const state =
				what === 'take'
					? await claim.take(() => !remembered.has(id) && !isCancelled())
					: await claim.confirm();
			const known = remembered.get(id);
			if (state === 'ours') {
				if (what === 'take') remembered.delete(id);
				return undefined;
			}
			const first: FirstPost =
				state === 'accepted'
					? { ...known, outcome: 'accepted' }
					: (known ?? { outcome: 'unknown' });
			return { kind: 'used', first };
		} catch (error) {
			const description = `${(error as Error).message}. Retry, or check n8n's log. If a Remove Duplicates node of this workflow uses the same list, choose the scope Node.`;
			return { kind: 'not_sent', failure: { message: UNAVAILABLE[name.kind], description } };
		}
	}

	/** Records the outcome of a post for its key. A post that was interrupted may have been sent. */
	private async recordOutcome(
		id: string,
		sent: Outcome<AcceptedPost> | { error: Error },
		claim: KeyClaim,
	): Promise<void> {
		remembered.delete(id);
		const isUnknown = 'error' in sent ? claim.isSending : sent.kind === 'unknown';
		if (isUnknown) return await claim.recordUnknown();
		const { access } = this;
		if ('error' in sent || sent.kind !== 'accepted') {
			const isCurrent = () => !remembered.has(id) && claim.isSending;
			this.shared.recheck.plan({ kind: 'freed', claim, access, isCurrent });
			return await claim.free();
		}
		const first = firstPost(sent.value);
		putNewest(remembered, id, first, MAX_REMEMBERED);
		const isCurrent = () => remembered.get(id) === first;
		this.shared.recheck.plan({ kind: 'accepted', claim, access, isCurrent });
		await claim.accept();
	}

	private claimOf({ kind, key }: KeyName): KeyClaim {
		return new KeyClaim(this.shared.list, this.access, PREFIXES[kind], key);
	}

	private idOf({ kind, key }: KeyName): string {
		return `${this.place} ${kind} ${key}`;
	}
}

function firstPost({ envelope, sentAt }: AcceptedPost): FirstPost {
	const { action_sn, social_post_id } = envelope.data as Record<string, unknown>;
	const { requestId: request_id } = envelope;
	return { posted_at: sentAt, request_id, action_sn, social_post_id, outcome: 'accepted' };
}
