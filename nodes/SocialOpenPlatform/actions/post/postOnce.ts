import type { IExecuteFunctions } from 'n8n-workflow';
import { apiError, unknown } from '../../transport/errors';
import { fromEarlierTry } from '../itemError';
import type { PostIdentity } from '../ledger';
import type { CreateOptions } from './create.options';
import { count } from './create.summary';
import type { FirstPost, HeldKey, KeyOutcome } from './keys/keyHistory';
import { lookUpOf } from './lookUp';
import { factsOf, outputOf } from './postOutput';
import type { PostRun } from './postRun';
import { sendPost, type Sent } from './sendPost';

/** One post of an item, ready to be sent. */
export interface Post {
	identity: PostIdentity;
	body: Record<string, unknown>;
	options: CreateOptions;
}

/**
 * Sends a post unless that was done before: at an earlier try of this execution, as the ledger tells,
 * or ever for its key. Where it is unknown whether it was done, it is not done again, except where the
 * user wants that.
 */
export async function postOnce(this: IExecuteFunctions, run: PostRun, post: Post): Promise<object> {
	const { identity, options } = post;
	return await run.ledger.alone(identity, async () => {
		const known = run.ledger.find(identity);
		if (known?.state === 'accepted') {
			count(run.tally, 'earlier');
			return { ...outputOf(known.envelope, options), ...(run.isTool && REPEATED) };
		}
		if (known?.state === 'unknown' && !options.resendUnknown) {
			throw stillUnknown.call(this, post, known);
		}
		const sent = await run.line.gate.through(identity.itemIndex, async () => {
			return successOf(await oncePerKey.call(this, run, post));
		});
		if ('first' in sent) {
			count(run.tally, 'skipped');
			return skipped(options.oncePerKey ?? '', sent.first);
		}
		count(run.tally, 'accepted');
		return outputOf(sent.envelope, options);
	});
}

const REPEATED = {
	repeated: true,
	note: 'This very post was accepted earlier in this execution. It was not posted a second time.',
};

const RESEND =
	"It was not sent again. If the platform does not have it, switch on the option 'Resend If Outcome Unknown' and retry. If it has, set 'On Error' of this node to Continue and retry: the workflow then goes on with the others.";

function stillUnknown(
	this: IExecuteFunctions,
	{ identity, body }: Post,
	{ reason, sent_at }: { reason: string; sent_at: string },
) {
	const { advice, clues } = lookUpOf(body, sent_at, RESEND);
	const failure = unknown('the post', reason, { advice, clues });
	const error = apiError(this.getNode(), identity.itemIndex, failure);
	return fromEarlierTry(error);
}

async function oncePerKey(this: IExecuteFunctions, run: PostRun, post: Post) {
	const { oncePerKey: key, keyScope, keyHistory, resendUnknown } = post.options;
	const deed = async (held?: HeldKey) => {
		const result = await sendPost.call(this, run, post, held);
		return { result, outcome: keyOutcomeOf(result) };
	};
	if (key === undefined) return await deed();
	return await run.history(keyScope, keyHistory).once({ kind: 'post', key }, resendUnknown, deed);
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

function skipped(key: string, first: FirstPost): object {
	const known =
		first.outcome === 'accepted'
			? 'was posted before'
			: 'was sent before, and no answer told what came of it';
	return { skipped: true, note: `Not posted, because the key '${key}' ${known}.`, key, first };
}
