import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { putNewest } from '../../../protocol/newest';
import { inTurn, type Turns } from '../../inTurn';
import { KeyClaim } from './keyClaim';
import { KeyList, type ListAccess } from './keyList';
import { KeyRecheck } from './keyRecheck';
import type { KeyScope } from './keyScope';

/** What is known of the first post with a key. */
export interface FirstPost {
	outcome: 'accepted' | 'unknown';
	/** What the platform answered, and when; known to the process that sent it. */
	[fact: string]: unknown;
}

/** The outcome of sending something with a key. */
export type KeyOutcome =
	| { kind: 'accepted'; first: Omit<FirstPost, 'outcome'> }
	/** The platform may have it: the key stays taken. */
	| { kind: 'unknown' }
	/** The platform certainly does not have it: the key is free again. */
	| { kind: 'free' };

/** A key and its use: keys of different kinds are different keys. */
export interface KeyName {
	kind: 'post' | 'retry';
	key: string;
}

/** A key that is ours. */
export interface HeldKey {
	/**
	 * Records that the request is about to leave. Call it right before sending; further calls cost nothing.
	 *
	 * @returns false when another process has the right to send: send nothing
	 * @throws NodeOperationError when n8n's database does not answer: send nothing
	 */
	confirm: () => Promise<boolean>;
}

/** How the entries of a kind begin in n8n's list. Those of posts are the ones of earlier versions. */
const PREFIXES: Record<KeyName['kind'], string> = {
	post: 'social-open-platform',
	retry: 'social-open-platform-retry',
};

const UNAVAILABLE: Record<KeyName['kind'], string> = {
	post: "Nothing was sent: n8n could not look up 'Once Per Key' in its database",
	retry: 'Nothing was sent: n8n could not look up in its database what other retries have sent',
};

/** Accepted posts of which this process remembers more than the list says. */
const MAX_REMEMBERED = 1000;

/** By the place of the list and the key. */
const remembered = new Map<string, FirstPost>();
const turns: Turns = new Map();
const lists = new Map<string, SharedList>();

/** Lists that are kept at the same time. */
const MAX_LISTS = 1000;

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

/** Keys that were posted, as n8n's database remembers them for a node or a workflow. */
export class KeyHistory {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly place: string,
		private readonly access: ListAccess,
		private readonly shared: SharedList,
	) {}

	/**
	 * @param size keys that are remembered at least from now on; the oldest is forgotten first
	 * @throws NodeOperationError when the workflow was never saved, and so has no history
	 */
	static of(this: void, context: IExecuteFunctions, scope: KeyScope, size = 0): KeyHistory {
		const { id } = context.getWorkflow();
		const node = context.getNode();
		if (!id) {
			throw new NodeOperationError(node, 'Nothing was sent: this workflow was never saved', {
				description: "'Once Per Key' remembers keys by workflow. Save the workflow, then run it.",
			});
		}
		const place = JSON.stringify([id, scope === 'node' ? node.id : '']);
		const access = { helpers: context.helpers, scope, size };
		return new KeyHistory(context, place, access, listAt(place));
	}

	/**
	 * Sends something once for a key, while nobody else in this process uses the key. The key is free
	 * again when `send` reports so, or throws before it has confirmed.
	 *
	 * @param again whether to send it although the outcome of the first one is unknown
	 * @returns the result of `send`, or what is known of the first one
	 * @throws NodeOperationError when n8n's database does not answer: nothing was sent
	 */
	async once<T>(
		name: KeyName,
		again: boolean,
		send: (held: HeldKey) => Promise<{ result: T; outcome: KeyOutcome }>,
	): Promise<{ result: T } | { first: FirstPost }> {
		const id = this.idOf(name);
		const use = async () => {
			const claim = this.claimOf(name);
			const first = await this.ask(name, claim, 'take');
			if (first && (first.outcome === 'accepted' || !again)) return { first };
			let other: FirstPost | undefined;
			const confirm = async () => {
				if (!first) other = await this.ask(name, claim, 'confirm');
				return !other;
			};
			const sent = await send({ confirm }).catch((error: Error) => ({ error }));
			if (other) return { first: other };
			const outcome: KeyOutcome =
				'outcome' in sent ? sent.outcome : { kind: claim.isSending ? 'unknown' : 'free' };
			// The first one may be out, whatever the outcome of this one is.
			if (!first || outcome.kind !== 'free') {
				// The outcome is known; it must not be lost because of its key, which stays taken.
				await this.settle(id, outcome, claim).catch((error: Error) => {
					this.context.logger.warn(`n8n could not record the outcome of a key: ${error.message}`);
				});
			}
			return 'error' in sent ? await Promise.reject(sent.error) : { result: sent.result };
		};
		return await inTurn(turns, id, async () => await this.shared.list.use(use));
	}

	/** Makes a user's key free again. */
	async forget(key: string): Promise<void> {
		const name: KeyName = { kind: 'post', key };
		const id = this.idOf(name);
		await inTurn(turns, id, async () => {
			remembered.delete(id);
			await this.claimOf(name).forget();
		});
	}

	/** Makes every key of the list free again; a workflow's list is that of its other nodes too. */
	async forgetAll(): Promise<void> {
		for (const id of remembered.keys()) {
			if (id.startsWith(this.place)) remembered.delete(id);
		}
		await this.shared.list.clear(this.access);
	}

	/**
	 * Takes or confirms a key.
	 *
	 * @returns what is known of the first post with this key, unless the key is ours
	 * @throws NodeOperationError when n8n's database does not answer
	 */
	private async ask(
		name: KeyName,
		claim: KeyClaim,
		what: 'take' | 'confirm',
	): Promise<FirstPost | undefined> {
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
			if (state === 'accepted') return { ...known, outcome: 'accepted' };
			return known ?? { outcome: 'unknown' };
		} catch (error) {
			const unavailable = new NodeOperationError(this.context.getNode(), error as Error, {
				message: UNAVAILABLE[name.kind],
				description: `${(error as Error).message}. Try again, or look at n8n's log. If a Remove Duplicates node of this workflow uses the same list, choose the scope Node.`,
			});
			unavailable.context.data = { outcome: 'not_sent' };
			throw unavailable;
		}
	}

	private async settle(id: string, outcome: KeyOutcome, claim: KeyClaim): Promise<void> {
		remembered.delete(id);
		if (outcome.kind === 'unknown') return await claim.leaveUnknown();
		const { access } = this;
		if (outcome.kind === 'free') {
			const isCurrent = () => !remembered.has(id) && claim.isSending;
			this.shared.recheck.plan({ kind: 'freed', claim, access, isCurrent });
			return await claim.free();
		}
		const first: FirstPost = { ...outcome.first, outcome: 'accepted' };
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
