import type { DeduplicationScope, IExecuteFunctions } from 'n8n-workflow';
import type { Envelope } from '../../../protocol/envelope';
import { putNewest } from '../../../protocol/bounded';
import { stopped, type Failed, type Outcome, type Stopped } from '../../../transport/outcome';
import { enqueue, type Queues } from '../../taskQueue';
import { KeyClaim, KeyRecheck } from './keyClaim';
import { KeyList, type ListAccess } from './keyList';

/** What is known of the first post with a key. */
export interface FirstPost {
	outcome: 'accepted' | 'unknown';
	/** What the platform responded, and when. Only the process that sent the post knows it. */
	[fact: string]: unknown;
}

/** The key was used before. */
export interface UsedKey {
	kind: 'used';
	first: FirstPost;
}

/** A post that the platform has accepted. */
export interface AcceptedPost {
	envelope: Envelope;
	/** ISO 8601. */
	sentAt: string;
}

/** A key and its kind. Keys of different kinds are different keys. */
export interface KeyName {
	kind: 'post' | 'retry';
	key: string;
}

/** A key that this post has claimed. */
export interface HeldKey {
	/**
	 * Records that the request is about to leave. To be called right before each sending; only the first
	 * call takes time.
	 *
	 * @returns the outcome of a request that must not be sent
	 */
	confirm: () => Promise<Failed | Stopped | undefined>;
}

/** How the entries of a kind begin in n8n's list. Earlier versions wrote those of posts. */
const PREFIXES: Record<KeyName['kind'], string> = {
	post: 'social-open-platform',
	retry: 'social-open-platform-retry',
};

const UNAVAILABLE: Record<KeyName['kind'], string> = {
	post: "Nothing was sent: n8n could not look up 'Deduplication Key' in its database",
	retry: 'Nothing was sent: n8n could not look up in its database what other retries have sent',
};

/** Accepted posts whose facts this process remembers; the list says only that they were accepted. */
const MAX_REMEMBERED = 1000;

/** Lists that are kept at the same time. */
const MAX_LISTS = 1000;

/** By the place of the list and the key. */
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

/** The keys that were posted, which n8n's database keeps for a node or a workflow. */
export class KeyHistory {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly place: string,
		private readonly access: ListAccess,
		private readonly shared: SharedList,
	) {}

	/**
	 * @param size keys that are kept at least; the oldest is evicted first
	 * @returns a failure if the workflow was never saved, because it has no history then
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
	 * Sends a post once for a key, while nobody else in this process uses the key.
	 *
	 * @param resendUnknown whether to send it although the outcome of the first post is unknown
	 * @returns the outcome of `send`, or the first post with this key
	 */
	async once(
		name: KeyName,
		resendUnknown: boolean,
		send: (held: HeldKey) => Promise<Outcome<AcceptedPost>>,
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
			const sent = await send({ confirm }).catch((error: Error) => ({ error }));
			if (usedMeanwhile) return usedMeanwhile;
			// The first post may be published, whatever the outcome of this one is.
			if (!used || ('kind' in sent && /^(accepted|unknown)$/.test(sent.kind))) {
				// The outcome must not be lost because of its key, which stays taken.
				await this.settle(id, sent, claim).catch((error: Error) => {
					this.context.logger.warn(`n8n could not record the outcome of a key: ${error.message}`);
				});
			}
			return 'error' in sent ? await Promise.reject(sent.error) : sent;
		};
		return await enqueue(queues, id, async () => await this.shared.list.use(use));
	}

	/** Frees a user's key. */
	async forget(key: string): Promise<void> {
		const name: KeyName = { kind: 'post', key };
		const id = this.idOf(name);
		await enqueue(queues, id, async () => {
			remembered.delete(id);
			await this.claimOf(name).forget();
		});
	}

	/** Frees every key of the list. The list of a workflow is shared by its nodes. */
	async forgetAll(): Promise<void> {
		for (const id of remembered.keys()) {
			if (id.startsWith(this.place)) remembered.delete(id);
		}
		await this.shared.list.clear(this.access);
	}

	/**
	 * Takes or confirms a key.
	 *
	 * @returns undefined if the key is ours; otherwise the first post with this key, or the failure of n8n's
	 * database
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

	/** Records the outcome of a post. A post that was interrupted may have been sent. */
	private async settle(
		id: string,
		sent: Outcome<AcceptedPost> | { error: Error },
		claim: KeyClaim,
	): Promise<void> {
		remembered.delete(id);
		const isUnknown = 'error' in sent ? claim.isSending : sent.kind === 'unknown';
		if (isUnknown) return await claim.leaveUnknown();
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
