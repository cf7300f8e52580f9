import type { IExecuteFunctions } from 'n8n-workflow';
import type { Envelope } from '../../protocol/envelope';
import { readPostAnswer } from '../../protocol/post';
import { Stopped, unknown, type Clues, type ErrorFacts } from '../../transport/errors';
import { whole } from '../../transport/reception';
import { request } from '../../transport/request';
import type { NodeError } from '../itemError';
import type { HeldKey } from './keys/keyHistory';
import { lookUpOf } from './lookUp';
import type { Post } from './postOnce';
import type { PostRun } from './postRun';

/** What came of sending a post. `mayBeOut`: it is not certain that the platform has not got it. */
export type Sent = { envelope: Envelope; sentAt: string } | { error: unknown; mayBeOut: boolean };

/** What the ledger says while a request is under way, and for good if the execution ends meanwhile. */
const UNDER_WAY = 'no answer had come when the execution ended';

const NOT_AGAIN =
	"A retry of this execution does not send it again, unless the option 'Resend If Outcome Unknown' is on; a new execution may.";

/** Sends a post, and keeps the ledger true at every moment: n8n may end the execution at any. */
export async function sendPost(
	this: IExecuteFunctions,
	run: PostRun,
	post: Post,
	held?: HeldKey,
): Promise<Sent> {
	const { ledger, line } = run;
	const { identity, body, options } = post;
	const before = ledger.find(identity);
	let sentAt = '';
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
					unknown('the post', reason, lookUpOf(body, sentAt, NOT_AGAIN), status),
				onSend: async () => {
					// `once` answers for a key that another process may send with.
					if (held && !(await held.confirm())) throw new Stopped();
					sentAt = new Date().toISOString();
					ledger.note(identity, { state: 'unknown', sent_at: sentAt, reason: UNDER_WAY });
				},
				onHold: certainlyNot,
			},
			line,
		);
		ledger.note(identity, { state: 'accepted', sent_at: sentAt, envelope });
		return { envelope, sentAt };
	} catch (error) {
		const facts = (error as NodeError).context?.data as ErrorFacts | undefined;
		const wasSent = sentAt !== '';
		const isStopped = error instanceof Stopped;
		const isUnknown = facts ? facts.outcome === 'unknown' : wasSent && !isStopped;
		if (wasSent && !isUnknown) certainlyNot();
		if (isUnknown && facts?.reason) {
			ledger.note(identity, { state: 'unknown', sent_at: sentAt, reason: facts.reason });
		}
		return { error, mayBeOut: isUnknown };
	}
}
