import type { IExecuteFunctions } from 'n8n-workflow';
import type { Envelope } from '../../protocol/envelope';
import { readPostAnswer } from '../../protocol/post';
import type { Limiter } from '../../transport/limiter';
import { invalid, unknown, type Failed, type Outcome } from '../../transport/outcome';
import { request, type Connection, type RepeatableRequest } from '../../transport/request';
import { whole } from '../../transport/response';
import type { Clues, Ledger, PostIdentity } from '../ledger';
import {
	KeyHistory,
	type AcceptedPost,
	type FirstPost,
	type ClaimedKey,
	type KeyName,
} from './keys/keyHistory';
import { linkFiles } from './files';
import type { CreateOptions } from './options';
import { pastTime } from './publishTime';
import type { PlacedFile } from './request';
import type { Tally } from './summary';

/** What a run needs to send its posts. */
export interface SendContext {
	limiter: Limiter;
	/** Absent when the credential cannot be used. In this case nothing is sent. */
	connection?: Connection;
	ledger: Ledger;
	tally: Tally;
	/** Whether an AI agent calls the node. */
	isTool: boolean;
}

export interface Post {
	identity: PostIdentity;
	body: Record<string, unknown>;
	/** The files in the body. */
	files: PlacedFile[];
	options: CreateOptions;
	/** Unix time in milliseconds; undefined when the post is published at once. */
	publishAt?: number;
	/** The failure of an item whose fields cannot be sent. */
	invalid?: Failed;
	/** Returns all issues of the item. It reads the media, so it is called only before sending. */
	check: () => Promise<Failed | undefined> | Failed;
}

/**
 * The reason in the ledger while a request is under way. It remains if the execution ends before a
 * response arrives.
 */
const UNDER_WAY = 'no response had arrived when the execution ended';

const NOT_RESENT =
	"A retry of this execution does not send it again unless the option 'Resend If Outcome Unknown' is on. A new execution may send it again.";

const HOW_TO_RESEND =
	"It was not sent again. If the platform does not have the post, turn on the option 'Resend If Outcome Unknown' and retry. If the platform has it, set 'On Error' of this node to Continue and retry. The workflow then continues with the other posts.";

const OTHER_RETRY = 'another retry of this execution sent it and got no usable response';

const REPEATED = {
	repeated: true,
	note: 'This post was already accepted earlier in this execution. It was not published a second time.',
};

/** Number of characters of a text that are enough to recognize a post. */
const MAX_BEGINNING = 60;

/**
 * Sends a post unless it was sent before: at an earlier attempt of this execution, in another retry
 * of it, or with the same key. The issues of the item are reported only if it was not: an accepted
 * post stays accepted even if its item is invalid now. A post with an unknown outcome is sent again
 * only if the user has chosen so.
 *
 * @returns the output item
 */
export async function sendPost(
	context: IExecuteFunctions,
	run: SendContext,
	post: Post,
): Promise<Outcome<object>> {
	const { identity, options } = post;
	return await run.ledger.runExclusively(identity, async () => {
		const known = run.ledger.find(identity, options.resendEdited);
		if (known?.state === 'accepted') {
			run.tally.set(identity.itemIndex, 'earlier');
			const output = outputOf(known.envelope, options);
			return accepted({ ...output, ...(run.isTool && REPEATED) });
		}
		if (known?.state === 'unknown' && (post.invalid || !options.resendUnknown)) {
			return stillUnknown(post, known);
		}
		const key = keyOf(context, run, post);
		const issues = key ? undefined : await issuesOf(run, post);
		if (issues) return issues;
		return await run.limiter.run(identity.itemIndex, async () =>
			key
				? await sendOncePerKey(context, run, post, key)
				: outputItem(run, post, await sendAndRecord(context, run, post)),
		);
	});
}

/** The issues of a post that is about to be sent. */
async function issuesOf(run: SendContext, post: Post): Promise<Failed | undefined> {
	const invalid = await post.check();
	return invalid && orStillUnknown(run, post, invalid);
}

/** The outcome of a post that cannot be sent now: unknown, if an earlier attempt left it unknown. */
function orStillUnknown({ ledger }: SendContext, post: Post, invalid: Failed): Failed {
	const known = ledger.find(post.identity, post.options.resendEdited);
	return known?.state === 'unknown' ? stillUnknown({ ...post, invalid }, known) : invalid;
}

/**
 * The key of a post: the user's key, or a generated key in a retry. Several retries may start from
 * the same failed execution, and each has its own copy of the ledger, so posts of retries are also
 * recorded under a key outside of the ledger. If a post was edited after its entry in the ledger
 * was made, its key is different.
 */
function keyOf(
	context: IExecuteFunctions,
	{ ledger }: SendContext,
	{ identity, options }: Post,
): KeyName | undefined {
	if (options.oncePerKey !== undefined) return { kind: 'post', key: options.oncePerKey };
	if (context.getMode() !== 'retry') return undefined;
	const before = ledger.find(identity, false);
	const isEdited = before !== undefined && !ledger.find(identity, options.resendEdited);
	const editedFields = isEdited && before.state !== 'refused' ? identity.fields : '';
	return { kind: 'retry', key: `${ledger.keyOf(identity)} ${editedFields}` };
}

async function sendOncePerKey(
	context: IExecuteFunctions,
	run: SendContext,
	post: Post,
	key: KeyName,
): Promise<Outcome<object>> {
	const { keyScope, keyHistory, resendUnknown, oncePerKey } = post.options;
	const scope = key.kind === 'retry' ? 'node' : keyScope;
	const history = KeyHistory.of(context, scope, keyHistory);
	if ('failure' in history) return history;
	const outcome = await history.sendOnce(
		key,
		resendUnknown,
		async (held) => (await issuesOf(run, post)) ?? (await sendAndRecord(context, run, post, held)),
	);
	if (outcome.kind !== 'used') return outputItem(run, post, outcome);
	const { first } = outcome;
	if (key.kind === 'retry' && first.outcome === 'unknown') {
		return stillUnknown(post, { reason: OTHER_RETRY, clues: cluesOf(post.body) });
	}
	run.tally.set(post.identity.itemIndex, key.kind === 'retry' ? 'earlier' : 'skipped');
	return accepted(skipped(oncePerKey, first));
}

/**
 * Sends a post, and records each change in the ledger at once, because n8n may end the execution at
 * any moment.
 */
async function sendAndRecord(
	context: IExecuteFunctions,
	run: SendContext,
	post: Post,
	key?: ClaimedKey,
): Promise<Outcome<AcceptedPost>> {
	const { ledger, connection } = run;
	const { identity, body, options } = post;
	const { itemIndex } = identity;
	const before = ledger.find(identity, options.resendEdited);
	let sentAt = '';
	const recordNotAccepted = () => {
		// If the outcome was unknown before, it stays unknown even if the platform refuses the post
		// this time.
		const isUnknown = before?.state === 'unknown';
		ledger.record(identity, isUnknown ? before : { state: 'refused', sent_at: sentAt });
	};
	const call: RepeatableRequest<Envelope> = {
		operation: 'createPost',
		body,
		format: whole(readPostAnswer),
		timeout: Math.ceil(options.timeout * 1000),
		rateLimitWait: options.rateLimitWait * 1000,
		what: 'the post',
		beforeSend: async () => {
			// A rate limit may have lasted for hours, so each request gets links of its own.
			const linked = await linkFiles(context, itemIndex, post, options.fileLinkValidity);
			const invalid = 'failure' in linked ? linked : tooLate(context, post, sentAt !== '');
			if (invalid) return orStillUnknown(run, post, invalid);
			const notAllowed = await key?.confirm();
			if (notAllowed) return notAllowed;
			Object.assign(call, linked);
			sentAt = new Date().toISOString();
			const clues = cluesOf(body, sentAt);
			ledger.record(identity, { state: 'unknown', clues, reason: UNDER_WAY });
			return undefined;
		},
		onRateLimit: recordNotAccepted,
	};
	const outcome = await request(connection!, itemIndex, call);
	if (outcome.kind === 'accepted') {
		const envelope = outcome.value;
		ledger.record(identity, { state: 'accepted', sent_at: sentAt, envelope });
		return { kind: 'accepted', value: { envelope, sentAt } };
	}
	if (sentAt === '') return outcome;
	if (outcome.kind !== 'unknown' || outcome.failure.isFromEarlierAttempt) {
		recordNotAccepted();
		return outcome;
	}
	const { failure } = outcome;
	const clues = cluesOf(body, sentAt);
	ledger.record(identity, { state: 'unknown', clues, reason: failure.facts?.reason ?? '' });
	const description = howToFind(clues, NOT_RESENT);
	return { kind: 'unknown', failure: withClues({ ...failure, description }, clues) };
}

/**
 * The issue of a post whose publish time has passed while it waited for its turn or for a rate
 * limit.
 */
function tooLate(
	context: IExecuteFunctions,
	{ identity, body, publishAt }: Post,
	wasSent: boolean,
): Failed | undefined {
	if (publishAt === undefined) return undefined;
	const { itemIndex } = identity;
	const passed = pastTime(publishAt, String(body.post_date), context.getTimezone());
	if (!passed) return undefined;
	const failed = invalid(itemIndex, [passed]);
	if (wasSent) {
		failed.failure.description = `The time passed while item ${itemIndex} waited for a rate limit. The platform had not accepted the post, and it was not sent again. Choose a later time and retry.`;
	}
	return failed;
}

/**
 * The failure of a post whose outcome an earlier attempt left unknown, and which was not sent this
 * time.
 */
function stillUnknown(post: Post, { reason, clues }: { reason: string; clues: Clues }): Failed {
	const also =
		post.invalid && `It was not sent again. In addition, ${post.invalid.failure.message}.`;
	const advice = howToFind(clues, also ?? HOW_TO_RESEND);
	const { kind, failure } = unknown('the post', reason, advice);
	return { kind, failure: { ...withClues(failure, clues), isFromEarlierAttempt: true } };
}

function withClues(failure: Failed['failure'], clues: Clues): Failed['failure'] {
	return { ...failure, facts: { ...failure.facts, ...clues } };
}

/**
 * Collects the facts that help to find a post on the platform.
 *
 * @param sentAt ISO 8601 time; absent when this execution did not send the post
 */
function cluesOf(body: Record<string, unknown>, sentAt?: string): Clues {
	const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';
	const text = [body.text, body.title].find(isFilled);
	return {
		...(sentAt && { sent_at: sentAt }),
		...(isFilled(body.social_account_id) && { social_account_id: body.social_account_id }),
		...(text && { text_beginning: [...text].slice(0, MAX_BEGINNING).join('') }),
	};
}

/**
 * A sentence about how to find the post on the platform.
 *
 * @param next a sentence about what to do afterwards
 */
function howToFind({ sent_at, social_account_id, text_beginning }: Clues, next: string): string {
	const when = sent_at ? `It was sent at ${sent_at}. ` : '';
	const account = social_account_id ? `account ${social_account_id}` : 'the account';
	const which = text_beginning ? `a post that begins “${text_beginning}”` : 'it';
	return `${when}Check on the platform whether ${account} has ${which}. ${next}`;
}

function accepted(value: object): Outcome<object> {
	return { kind: 'accepted', value };
}

function outputItem(run: SendContext, post: Post, outcome: Outcome<AcceptedPost>): Outcome<object> {
	if (outcome.kind !== 'accepted') return outcome;
	run.tally.set(post.identity.itemIndex, 'accepted');
	return accepted(outputOf(outcome.value.envelope, post.options));
}

function outputOf(envelope: Envelope, { fullEnvelope }: CreateOptions): object {
	return fullEnvelope ? envelope : { request_id: envelope.requestId, ...(envelope.data as object) };
}

/**
 * The output of an item that was skipped.
 *
 * @param key the user's key; undefined if another retry published the post
 */
function skipped(key: string | undefined, first: FirstPost): object {
	if (key === undefined) {
		const note = 'Not posted, because another retry of this execution published it.';
		return { skipped: true, note, first };
	}
	const known =
		first.outcome === 'accepted'
			? 'was posted before'
			: 'was sent before and its outcome is unknown';
	return { skipped: true, note: `Not posted, because the key '${key}' ${known}.`, key, first };
}
