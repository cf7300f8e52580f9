import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { type Failed, type Outcome } from '../../platform/outcome';
import { enqueue } from '../../platform/limiter';
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

/** Milliseconds to wait for another process that uses the key. */
const MAX_WAIT_MS = 10_000;

const POLL_MS = 1_000;

const lists = new Map<string, KeyList>();

function openClaim({ helpers }: IExecuteFunctions, workflowId: string, name: string) {
	const list = lists.get(workflowId) ?? new KeyList();
	lists.set(workflowId, list);
	return new KeyClaim(list, helpers, name);
}

/** Returns the beginning of the entries of a key in n8n's list. */
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
	/** Whether the outcome of an earlier post is unknown. */
	isUnknown: boolean;
	/**
	 * Records the outcome of the attempt, after which waiting attempts of this process can use the
	 * key. It must be called exactly once, also if nothing was sent.
	 */
	settle(outcome: Outcome<unknown>['kind']): Promise<void>;
}

/**
 * A key that must not be used. Its state is `unknown` even if another process is still using it.
 */
interface UsedKey {
	used: 'accepted' | 'unknown';
}

/**
 * Takes a key for one attempt to send a post, after all earlier uses of it by this process.
 *
 * @param key parts that together identify the post in the workflow
 * @param resendAfterMs if given, the key is taken although the outcome of an earlier post is unknown,
 * and even if another process has used it for this number of milliseconds
 */
export async function takeKey(
	context: IExecuteFunctions,
	key: readonly unknown[],
	resendAfterMs?: number,
): Promise<KeyUse | UsedKey | Failed> {
	const { id } = context.getWorkflow();
	if (!id) return NOT_SAVED;
	const name = entryNameOf(key);
	const release = await new Promise<() => void>((begin) => {
		void enqueue(`${id} ${name}`, async () => await new Promise<void>(begin));
	});
	const resends = resendAfterMs !== undefined;
	const endsAt = performance.now() + (resendAfterMs ?? MAX_WAIT_MS);
	for (;;) {
		const isOver = performance.now() >= endsAt;
		const claim = openClaim(context, id, name);
		const taking = claim.take(resends ? ['free', 'unknown'] : ['free'], resends && isOver);
		const state = await taking.catch(unavailable);
		if (state === 'busy' && !isOver && !context.getExecutionCancelSignal()?.aborted) {
			await sleep(POLL_MS);
		} else if (state === 'free' || (state === 'unknown' && resends)) {
			const settle: KeyUse['settle'] = async (outcome) => {
				await claim.settle(outcome);
				release();
			};
			return { isUnknown: state === 'unknown', settle };
		} else {
			release();
			return typeof state === 'object' ? state : { used: state === 'busy' ? 'unknown' : state };
		}
	}
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
		const claim = openClaim(context, id, name);
		return await enqueue(`${id} ${name}`, async () => await claim.clear());
	};
	return await Promise.all(keys.map(clear)).catch(unavailable);
}

function unavailable(error: Error): Failed {
	const message = 'Nothing was sent: n8n could not read or change its list of keys in its database';
	const description = `${error.message}. Retry when the database is available. If the key then counts as used although its post was not sent, clear the key.`;
	return { kind: 'not_sent', failure: { message, description } };
}
