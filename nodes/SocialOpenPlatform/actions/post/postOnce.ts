import type { IExecuteFunctions } from 'n8n-workflow';
import type { PostIdentity } from '../ledger';
import type { CreateOptions } from './create.options';
import type { FirstPost, HeldKey, KeyName, KeyOutcome } from './keys/keyHistory';
import { cluesOf, stillUnknown } from './lookUp';
import { factsOf, outputOf } from './postOutput';
import type { PostRun } from './postRun';
import { sendPost, type Sent } from './sendPost';

/** One post of an item, as it was read. */
export interface Post {
	identity: PostIdentity;
	body: Record<string, unknown>;
	options: CreateOptions;
	/** Milliseconds since 1970; undefined when the post is published at once. */
	publishAt?: number;
	/** Set when the item must not be sent: it says why. */
	invalid?: Error;
}

/**
 * Sends a post unless that was done before: at an earlier attempt of this execution, in another retry
 * of it, or ever for its key. Only then are the item's issues looked at. What is unknown is not sent
 * again, except where the user wants that.
 */
export async function postOnce(this: IExecuteFunctions, run: PostRun, post: Post): Promise<object> {
	const { identity, options, invalid } = post;
	const { itemIndex } = identity;
	return await run.ledger.alone(identity, async () => {
		const known = run.ledger.find(identity, options.resendEdited);
		if (known?.state === 'accepted') {
			run.tally.set(itemIndex, 'earlier');
			return { ...outputOf(known.envelope, options), ...(run.isTool && REPEATED) };
		}
		if (known?.state === 'unknown' && (invalid || !options.resendUnknown)) {
			throw stillUnknown.call(this, post, known);
		}
		const key = keyOf.call(this, run, post);
		if (invalid && !key) throw invalid;
		const sent = await run.gate.through(itemIndex, async () => {
			return successOf(await sendOnce.call(this, run, post, key));
		});
		if (!('first' in sent)) {
			run.tally.set(itemIndex, 'accepted');
			return outputOf(sent.envelope, options);
		}
		if (key?.kind === 'retry' && sent.first.outcome === 'unknown') {
			throw stillUnknown.call(this, post, { ...OTHER_RETRY, clues: cluesOf(post.body) });
		}
		run.tally.set(itemIndex, key?.kind === 'retry' ? 'earlier' : 'skipped');
		return skipped(options.oncePerKey, sent.first);
	});
}

const REPEATED = {
	repeated: true,
	note: 'This very post was accepted earlier in this execution. It was not posted a second time.',
};

const OTHER_RETRY = {
	reason: 'another retry of this execution sent it and got no usable response',
};

/**
 * The key that a post takes: the user's, or in a retry one of its own. Several retries may begin from
 * the same failed execution, each with a copy of its ledger, so what they send is also recorded
 * outside of it. A post that was edited since the ledger's entry takes another key than that one.
 */
function keyOf(this: IExecuteFunctions, { ledger }: PostRun, post: Post): KeyName | undefined {
	const { identity, options } = post;
	if (options.oncePerKey !== undefined) return { kind: 'post', key: options.oncePerKey };
	if (this.getMode() !== 'retry') return undefined;
	const before = ledger.find(identity, false);
	const isEdited = before !== undefined && !ledger.find(identity, options.resendEdited);
	const edition = isEdited && before.state !== 'refused' ? identity.fields : '';
	return { kind: 'retry', key: `${ledger.keyOf(identity)} ${edition}` };
}

async function sendOnce(this: IExecuteFunctions, run: PostRun, post: Post, key?: KeyName) {
	const { keyScope, keyHistory, resendUnknown } = post.options;
	const send = async (held?: HeldKey) => {
		const result: Sent = post.invalid
			? { error: post.invalid, mayBeOut: false }
			: await sendPost.call(this, run, post, held);
		return { result, outcome: keyOutcomeOf(result) };
	};
	if (!key) return await send();
	const scope = key.kind === 'retry' ? 'node' : keyScope;
	return await run.history(scope, keyHistory).once(key, resendUnknown, send);
}

/** @throws the error of a post that was not accepted */
function successOf(sent: { result: Sent } | { first: FirstPost }) {
	if ('first' in sent) return sent;
	if ('error' in sent.result) throw sent.result.error;
	return sent.result;
}

function keyOutcomeOf(sent: Sent): KeyOutcome {
	if ('envelope' in sent) return { kind: 'accepted', first: factsOf(sent.envelope, sent.sentAt) };
	return { kind: sent.mayBeOut ? 'unknown' : 'free' };
}

/** @param key the user's; without one it was another retry that posted it */
function skipped(key: string | undefined, first: FirstPost): object {
	if (key === undefined) {
		const note = 'Not posted, because another retry of this execution posted it.';
		return { skipped: true, note, first };
	}
	const known =
		first.outcome === 'accepted'
			? 'was posted before'
			: 'was sent before, and no answer told what came of it';
	return { skipped: true, note: `Not posted, because the key '${key}' ${known}.`, key, first };
}
