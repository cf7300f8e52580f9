import type { IExecuteFunctions } from 'n8n-workflow';
import type { Envelope } from '../../protocol/envelope';
import { readPostAnswer } from '../../protocol/post';
import { Stopped, unknown, type Clues, type ErrorFacts } from '../../transport/errors';
import { whole } from '../../transport/reception';
import { request } from '../../transport/request';
import type { NodeError } from '../itemError';
import { parameterError } from '../../parameters/parameterError';
import { cluesOf, lookUpOf, stillUnknown } from './lookUp';
import type { Post } from './postOnce';
import type { HeldKey } from './keys/keyHistory';
import type { PostRun } from './postRun';
import { pastTime } from './publishTime';

/** How a post ended. `mayBeOut`: the platform may have accepted it. */
export type Sent = { envelope: Envelope; sentAt: string } | { error: unknown; mayBeOut: boolean };

/** What the ledger says while a request is under way, and for good if the execution ends meanwhile. */
const UNDER_WAY = 'no answer had come when the execution ended';

const NOT_AGAIN =
	"A retry of this execution does not send it again, unless the option 'Resend If Outcome Unknown' is on; a new execution may.";

/**
 * Sends a post, and keeps the ledger true at every moment: n8n may end the execution at any.
 *
 * @param held the post's key, if it has one
 */
export async function sendPost(
	this: IExecuteFunctions,
	run: PostRun,
	post: Post,
	held?: HeldKey,
): Promise<Sent> {
	const { ledger, line } = run;
	const { identity, body, options } = post;
	const before = ledger.find(identity, options.resendEdited);
	let sentAt = '';
	const clues = () => cluesOf(body, sentAt);
	const certainlyNot = () => {
		// What was unknown before does not become certain by sending it once more.
		if (before?.state === 'unknown') ledger.note(identity, before);
		else ledger.note(identity, { state: 'refused', sent_at: sentAt });
	};
	try {
		const envelope = await (request<Envelope>).call(
			this,
			identity.itemIndex,
			{
				operation: 'createPost',
				body,
				reception: whole(readPostAnswer),
				timeout: Math.ceil(options.timeout * 1000),
				rateLimitWait: options.rateLimitWait * 1000,
				what: 'the post',
				unanswered: (reason: string, { status }: Clues = {}) =>
					unknown('the post', reason, lookUpOf(clues(), NOT_AGAIN), status),
				onSend: async () => {
					const late = lateError.call(this, post, sentAt !== '');
					if (late && before?.state === 'unknown') {
						throw stillUnknown.call(this, { ...post, invalid: late }, before);
					}
					if (late) throw late;
					if (held && !(await held.confirm())) return false;
					sentAt = new Date().toISOString();
					ledger.note(identity, { state: 'unknown', clues: clues(), reason: UNDER_WAY });
					return true;
				},
				onHold: certainlyNot,
			},
			line!,
		);
		ledger.note(identity, { state: 'accepted', sent_at: sentAt, envelope });
		return { envelope, sentAt };
	} catch (error) {
		const facts = (error as NodeError).context?.data as ErrorFacts | undefined;
		const wasSent = sentAt !== '';
		const isStopped = error instanceof Stopped;
		const isUnknown = facts ? facts.outcome === 'unknown' : wasSent && !isStopped;
		if (wasSent && !isUnknown) certainlyNot();
		if (isUnknown && wasSent && facts?.reason) {
			ledger.note(identity, { state: 'unknown', clues: clues(), reason: facts.reason });
		}
		return { error, mayBeOut: isUnknown };
	}
}

/** A post may have waited for its turn or a rate limit until its publish time passed. */
function lateError(
	this: IExecuteFunctions,
	{ identity, body, publishAt }: Post,
	wasSent: boolean,
): NodeError | undefined {
	if (publishAt === undefined) return undefined;
	const { itemIndex } = identity;
	const passed = pastTime(publishAt, String(body.post_date), this.getTimezone());
	if (!passed) return undefined;
	const error = parameterError(this.getNode(), itemIndex, [passed]);
	if (wasSent) {
		error.description = `The time passed while item ${itemIndex} waited for a rate limit. The platform had not accepted the post, and it was not sent again. Choose a later time and retry.`;
	}
	return error;
}
