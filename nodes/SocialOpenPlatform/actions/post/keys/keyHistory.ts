import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { putNewest } from '../../../protocol/newest';
import { inTurn, type Turns } from '../../inTurn';
import { KeyList } from './keyList';
import { KeyRecheck } from './keyRecheck';
import { ENTRIES, KeyClaim } from './keyClaim';
import type { KeyScope } from './keyScope';
import type { ListAccess } from './seenList';

/** What is known of the post that a key went out with. */
export interface FirstPost {
	outcome: 'accepted' | 'unknown';
	/** What the platform answered, and when; known to the process that sent it. */
	[fact: string]: unknown;
}

/** What came of a post, for its key. */
export type KeyOutcome =
	| { kind: 'accepted'; first: Omit<FirstPost, 'outcome'> }
	/** It may be out: the key stays taken. */
	| { kind: 'unknown' }
	/** It certainly did not happen: the key is free again. */
	| { kind: 'free' };

/** A key, and what it belongs to: a `retry` key never meets a user's key. */
export interface KeyName {
	kind: 'post' | 'retry';
	key: string;
}

/** A key that was taken for a request. */
export interface HeldKey {
	/**
	 * Records that the request is about to leave. Call it right before each sending.
	 *
	 * @returns false when another process has the right to send: send nothing
	 * @throws NodeOperationError when n8n's database does not answer: nothing was sent
	 */
	confirm(): Promise<boolean>;
}

/** Posts of which this process remembers more than their keys. */
const MAX_REMEMBERED = 1000;

/** By the place of the list and the key. */
const remembered = new Map<string, FirstPost>();
const turns: Turns = new Map();
const lists = new Map<string, SharedList>();

/** Keys that may be open in one run. */
const MAX_OPEN = 100;

/** Lists that are looked after at the same time. */
const MAX_LISTS = 1000;

interface SharedList {
	book: KeyList;
	closing: KeyRecheck;
}

function listAt(place: string): SharedList {
	const book = new KeyList();
	const list = lists.get(place) ?? { book, closing: new KeyRecheck(book) };
	putNewest(lists, place, list, MAX_LISTS);
	return list;
}

/** Keys that were posted, as n8n's database remembers them for a node or a workflow. */
export class KeyHistory {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly place: string,
		private readonly access: ListAccess,
		private readonly list: SharedList,
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
		const access = { helpers: context.helpers, scope, most: size + ENTRIES * MAX_OPEN };
		return new KeyHistory(context, place, access, listAt(place));
	}

	/**
	 * Sends something once for a key, while nobody else in this process uses the key. The key is free
	 * again when `send` throws or reports `free`.
	 *
	 * @param again whether to send it although the outcome of the first one is unknown
	 * @returns the result of `send`, or what is known of the first one
	 */
	async once<T>(
		{ kind, key: own }: KeyName,
		again: boolean,
		send: (held: HeldKey) => Promise<{ result: T; outcome: KeyOutcome }>,
	): Promise<{ result: T } | { first: FirstPost }> {
		const key = kind === 'post' ? own : `${kind}\n${own}`;
		return await inTurn(turns, this.nameOf(key), async () => {
			const entries = this.entriesOf(key);
			const first = await this.take(key, entries);
			if (first && (first.outcome === 'accepted' || !again)) return { first };
			const { result, outcome } = await send({ confirm: async () => true });
			// The first one may be out, whatever came of this one.
			if (first && outcome.kind === 'free') return { result };
			// What became of the post is known; it must not be lost over its key, which stays taken.
			await this.settle(key, outcome, entries).catch((error: Error) => {
				this.context.logger.warn(`n8n could not note what became of a key: ${error.message}`);
			});
			return { result };
		});
	}

	/** Makes a key free again. */
	async forget(key: string): Promise<void> {
		const entries = this.entriesOf(key);
		const free = async () => await this.settle(key, { kind: 'free' }, entries);
		await inTurn(turns, this.nameOf(key), free);
	}

	/** Makes every key of the list free again; a workflow's list is that of its other nodes too. */
	async forgetAll(): Promise<void> {
		for (const name of remembered.keys()) {
			if (name.startsWith(this.nameOf(''))) remembered.delete(name);
		}
		await this.list.book.clear(this.access);
	}

	/**
	 * Puts a key into the list.
	 *
	 * @returns what is known of the first post with this key, if there was one
	 * @throws NodeOperationError when n8n's database does not answer
	 */
	private async take(key: string, entries: KeyClaim): Promise<FirstPost | undefined> {
		try {
			const state = await entries.take();
			if (state === 'ours') return undefined;
			const known = remembered.get(this.nameOf(key));
			return { ...known, outcome: state === 'closed' || known ? 'accepted' : 'unknown' };
		} catch (error) {
			// Nothing was sent with it, so it must not stay taken.
			this.freeOnceMore(key, entries);
			throw this.unavailable(error as Error);
		}
	}

	private unavailable(error: Error): NodeOperationError {
		const unavailable = new NodeOperationError(this.context.getNode(), error, {
			message: "Nothing was sent: n8n could not look up 'Once Per Key' in its database",
			description: `${error.message}. Try again, or look at n8n's log. If a Remove Duplicates node of this workflow uses the same list, choose the scope Node.`,
		});
		unavailable.context.data = { outcome: 'not_sent' };
		return unavailable;
	}

	private async settle(key: string, outcome: KeyOutcome, entries: KeyClaim): Promise<void> {
		const name = this.nameOf(key);
		remembered.delete(name);
		if (outcome.kind === 'unknown') return await entries.leaveOpen();
		if (outcome.kind === 'free') {
			this.freeOnceMore(key, entries);
			return await entries.free();
		}
		const first: FirstPost = { ...outcome.first, outcome: 'accepted' };
		putNewest(remembered, name, first, MAX_REMEMBERED);
		const isStillSo = () => remembered.get(name) === first;
		this.list.closing.onceMore({ kind: 'closed', entries, access: this.access, isStillSo });
		await entries.close();
	}

	private freeOnceMore(key: string, entries: KeyClaim): void {
		if (!entries.wereNoted) return;
		const name = this.nameOf(key);
		const isStillSo = () => !remembered.has(name);
		this.list.closing.onceMore({ kind: 'freed', entries, access: this.access, isStillSo });
	}

	private entriesOf(key: string): KeyClaim {
		return new KeyClaim(this.list.book, this.access, key);
	}

	private nameOf(key: string): string {
		return `${this.place} ${key}`;
	}
}
