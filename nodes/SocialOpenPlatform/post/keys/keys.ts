import type { IExecuteFunctions } from 'n8n-workflow';
import { type Failed, type Outcome } from '../../platform/outcome';
import { enqueue } from '../../items/taskQueue';
import { KeyClaim } from './claim';
import { KeyList } from './list';

/** The content types whose keys Clear Deduplication Keys clears. */
export const CONTENT_TYPES = ['POST', 'REEL', 'STORY'];

const NOT_SAVED: Failed = {
	kind: 'invalid',
	failure: {
		message: 'Nothing was sent: this workflow was never saved',
		description:
			"'Deduplication Key' needs a saved workflow to keep its keys. Save the workflow, then run it.",
	},
};

/** Lists that this process remembers at the same time. */
const MAX_LISTS = 1000;

const lists = new Map<string, KeyList>();

function listOf(workflowId: string) {
	const list = lists.get(workflowId) ?? new KeyList();
	// Maps keep the order of insertion, so the first list is the one that was not used for longest.
	lists.delete(workflowId);
	lists.set(workflowId, list);
	const [oldest] = lists.keys();
	if (lists.size > MAX_LISTS) lists.delete(oldest!);
	return list;
}

/** How the entries of a key begin in n8n's list. */
function entryNameOf(parts: readonly unknown[]) {
	return JSON.stringify(['social-open-platform', ...parts]);
}

/**
 * The parts of the key of a post.
 *
 * @param app identifies the application
 */
export function postKey(app: string, account: unknown, contentType: unknown, key: string) {
	return ['post', app, account, contentType, key];
}

/** The use of a key by one attempt to send a post. */
export interface KeyUse {
	/**
	 * - `free`: this attempt has taken the key.
	 * - `accepted`: a post with the key was accepted.
	 * - `unknown`: the outcome of an earlier post is not known, or another process is sending it.
	 */
	state: 'free' | 'accepted' | 'unknown';
	/**
	 * Records the outcome of the attempt, and lets others of this process use the key, which wait for
	 * it. It must be called exactly once, also if nothing was sent.
	 */
	settle(outcome: Outcome<unknown>['kind']): Promise<void>;
}

/**
 * Takes a key for one attempt to send a post, after all earlier uses of it by this process.
 *
 * @param key parts that together identify the post in the workflow
 */
export async function takeKey(
	context: IExecuteFunctions,
	key: readonly unknown[],
): Promise<KeyUse | Failed> {
	const { id } = context.getWorkflow();
	if (!id) return NOT_SAVED;
	const name = entryNameOf(key);
	let release = () => {};
	const isReleased = new Promise<void>((resolve) => (release = resolve));
	return await new Promise((resolve) => {
		void enqueue(`${id} ${name}`, async () => {
			const claim = new KeyClaim(listOf(id), context.helpers, name);
			const isRunning = () => !context.getExecutionCancelSignal()?.aborted;
			const state = await claim.take(isRunning).catch(unavailable);
			if (typeof state === 'object') return resolve(state);
			resolve({
				state: state === 'ours' ? 'free' : state,
				settle: async (kind) => {
					const isFinal = kind === 'accepted' || kind === 'unknown';
					if (state !== 'accepted') await claim.record(isFinal ? kind : 'not accepted');
					release();
				},
			});
			await isReleased;
		});
	});
}

/**
 * Clears keys, after this process has stopped using them.
 *
 * @returns for each key, whether it was in the list
 */
export async function clearKeys(
	context: IExecuteFunctions,
	keys: Array<readonly unknown[]>,
): Promise<boolean[] | Failed> {
	const { id } = context.getWorkflow();
	if (!id) return NOT_SAVED;
	const clear = async (key: readonly unknown[]) => {
		const name = entryNameOf(key);
		const claim = new KeyClaim(listOf(id), context.helpers, name);
		return await enqueue(`${id} ${name}`, async () => await claim.clear());
	};
	return await Promise.all(keys.map(clear)).catch(unavailable);
}

function unavailable(error: Error): Failed {
	const message = 'Nothing was sent: n8n could not read or change its list of keys in its database';
	const description = `${error.message}. Retry when the database is available. If the key then counts as used although its post was not sent, clear the key.`;
	return { kind: 'not_sent', failure: { message, description } };
}
