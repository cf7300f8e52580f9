import type { IExecuteFunctions } from 'n8n-workflow';
import type { Envelope } from '../../protocol/envelope';
import type { Issue } from '../../protocol/issue';
import { readPostAnswer } from '../../protocol/post';
import type { Limiter } from '../../transport/limiter';
import {
	invalid,
	lines,
	joinIssues,
	unknown,
	type Failed,
	type Outcome,
} from '../../transport/outcome';
import { sendRequest, type Connection, type RepeatableRequest } from '../../transport/request';
import { whole } from '../../transport/response';
import {
	outputOf,
	type PostResponse,
	type Clues,
	type Ledger,
	type PostIdentity,
	type RecordedOutcome,
} from '../ledger';
import { nameOf } from '../run';
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
import type { PostNote, Tally } from './summary';

type Unknown = Extract<RecordedOutcome, { state: 'unknown' }>;

/** What a run needs to send its posts. */
export interface SendContext {
	limiter: Limiter;
	/** Absent when the credential cannot be used. In this case nothing is sent. */
	connection?: Connection;
	ledger: Ledger;
	tally: Tally;
	/** By the indexes of the items. */
	notes: PostNote[];
	/** Whether an AI agent calls the node. */
	isTool: boolean;
}

export interface Post {
	identity: PostIdentity;
	/** How messages name the post; undefined if it is the only one. */
	name?: string;
	body: Record<string, unknown>;
	/** The files in the body. */
	files: PlacedFile[];
	options: CreateOptions;
	/** Unix time in milliseconds; undefined when the post is published at once. */
	publishAt?: number;
	/** The failure of an item whose fields cannot be sent. */
	invalid?: Failed;
	/** Returns limits of the photo platform that the post may exceed. */
	warnings: () => Issue[];
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

const HOW_TO_RESEND = lines(
	"It was not sent again. If the platform does not have the post, turn on the option 'Resend If Outcome Unknown' and retry.",
	"If the platform has it, set 'On Error' of this node to Continue and retry. The workflow then continues with the other posts.",
);

const OTHER_RETRY = 'another retry of this execution sent it and got no usable response';

const SENT_BEFORE =
	'it, or another post with the same key, was sent before, and no usable response arrived';

const REPEATED = {
	repeated: true,
	note: 'This post was already accepted earlier in this execution. It was not published a second time.',
};

/** Number of characters of a text that are enough to recognize a post. */
const MAX_BEGINNING = 60;

/** Number of characters of a text in the name of its post. */
const MAX_NAME = 40;

/** Number of code units of a text that are read for this name, because a text may be very long. */
const MAX_READ = 1000;

/** How messages name a single post. */
const THE_POST = 'the post';

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
			if (run.ledger.isSameRequest(identity)) addNote(run, post);
			const output = chosenOutput(known, options);
			return accepted(run.isTool ? { ...output, ...REPEATED } : output);
		}
		const before = known?.state === 'unknown' ? known : undefined;
		if (before && (post.invalid || !options.resendUnknown)) return stillUnknown(post, before);
		const key = keyOf(context, run, post);
		const issues = key ? undefined : await post.check();
		if (issues) return orStillUnknown(post, before, issues);
		return await run.limiter.run(identity.itemIndex, async () =>
			key
				? await sendOncePerKey(context, run, post, key, before)
				: outputItem(run, post, await sendAndRecord(context, run, post, before)),
		);
	});
}

/** An outcome that is still unknown if it was unknown before and the post was not accepted now. */
function orStillUnknown<T>(
	post: Post,
	before: Unknown | undefined,
	outcome: Outcome<T>,
): Outcome<T> {
	const isNotAccepted = 'failure' in outcome && outcome.kind !== 'unknown';
	return before && isNotAccepted ? stillUnknown(post, before, outcome) : outcome;
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
	before: Unknown | undefined,
): Promise<Outcome<object>> {
	const { keyScope, keyHistory, resendUnknown, oncePerKey } = post.options;
	const scope = key.kind === 'retry' ? 'node' : keyScope;
	const history = KeyHistory.of(context, scope, keyHistory);
	if ('failure' in history) return history;
	const outcome = await history.sendOnce(key, resendUnknown, async (claimed) => {
		const sentBefore: Unknown = {
			state: 'unknown',
			reason: SENT_BEFORE,
			clues: cluesOf(post.body),
		};
		const earlier = before ?? (claimed.isUnknown ? sentBefore : undefined);
		const issues = await post.check();
		if (issues) return orStillUnknown(post, earlier, issues);
		return await sendAndRecord(context, run, post, earlier, claimed);
	});
	if (outcome.kind !== 'used') {
		return outputItem(run, post, orStillUnknown(post, before, outcome));
	}
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
	before: Unknown | undefined,
	key?: ClaimedKey,
): Promise<Outcome<AcceptedPost>> {
	const { ledger, connection } = run;
	const { identity, name, body, options } = post;
	let sentAt = '';
	const recordNotAccepted = ledger.notAcceptedRecorder(identity, before);
	const request: RepeatableRequest<Envelope> = {
		operation: 'createPost',
		body,
		format: whole(readPostAnswer),
		timeout: Math.ceil(options.timeout * 1000),
		rateLimitWait: options.rateLimitWait * 1000,
		what: name ?? THE_POST,
		beforeSend: async () => {
			// A rate limit may have lasted for hours, so each request gets links of its own.
			const linked = await linkFiles(context, name, post, options.fileLinkValidity);
			const failed = 'failure' in linked ? linked : tooLate(context, post, sentAt !== '');
			if (failed) return failed;
			const notAllowed = await key?.confirm();
			if (notAllowed) return notAllowed;
			Object.assign(request, linked);
			sentAt = new Date().toISOString();
			const clues = cluesOf(body, sentAt);
			ledger.record(identity, { state: 'unknown', clues, reason: UNDER_WAY });
			return undefined;
		},
		onRateLimit: recordNotAccepted,
	};
	const outcome = await sendRequest(connection!, identity.itemIndex, request);
	if (outcome.kind === 'accepted') {
		const response = { envelope: outcome.value, output: outputOf(outcome.value) };
		const isWhole = options.fullEnvelope;
		ledger.record(identity, { state: 'accepted', isWhole, ...response });
		return { kind: 'accepted', value: { ...response, sentAt } };
	}
	if (outcome.kind === 'stopped') return outcome;
	if (outcome.kind !== 'unknown') {
		if (sentAt !== '' || before) recordNotAccepted();
		return orStillUnknown(post, before, outcome);
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
	{ name, body, publishAt }: Post,
	wasSent: boolean,
): Failed | undefined {
	if (publishAt === undefined) return undefined;
	const passed = pastTime(publishAt, String(body.post_date), context.getTimezone());
	if (!passed) return undefined;
	const failed = invalid(name, [passed]);
	if (wasSent) {
		failed.failure.description =
			'The time passed while the post waited for a rate limit. The platform had not accepted it, and it was not sent again. Choose a later time.';
	}
	return failed;
}

/**
 * The failure of a post whose outcome was unknown before, and which was not accepted now.
 *
 * @param now why this attempt did not publish it; by default, the issues of its fields, if there are any
 */
function stillUnknown(
	post: Post,
	{ reason, clues }: Pick<Unknown, 'reason' | 'clues'>,
	now = post.invalid,
): Failed {
	const advice = howToFind(clues, now ? describeAttempt(now, now !== post.invalid) : HOW_TO_RESEND);
	const { kind, failure } = unknown(post.name ?? THE_POST, reason, advice);
	return { kind, failure: { ...withClues(failure, clues), isFromEarlierAttempt: true } };
}

/** Describes why this attempt did not publish a post whose outcome was unknown before. */
function describeAttempt({ kind, failure }: Failed, isResend: boolean): string {
	const { message, description, facts } = failure;
	if (kind !== 'invalid') {
		const what = isResend ? 'Sending it again did not succeed.' : 'It was not sent again.';
		return lines(`${what} ${message}`, description);
	}
	const issues = facts?.problems ? joinIssues(facts.problems as Issue[]) : message;
	return `This attempt did not publish it. In addition, ${issues}.`;
}

function withClues(failure: Failed['failure'], clues: Clues): Failed['failure'] {
	return { ...failure, facts: { ...failure.facts, ...clues } };
}

/** How messages name a post: by its position and the beginning of its text. */
export function postName(
	itemIndex: number,
	itemCount: number,
	body: Record<string, unknown>,
): string | undefined {
	const position = nameOf('post', itemIndex, itemCount);
	const characters = [...onOneLine((textIn(body) ?? '').trim().slice(0, MAX_READ))];
	if (!position || characters.length === 0) return position;
	const beginning = characters.slice(0, MAX_NAME).join('').trim();
	return `${position}, “${beginning}${characters.length > MAX_NAME ? '…' : ''}”`;
}

function onOneLine(text: string): string {
	return text.replace(/\s+/g, ' ');
}

function textIn({ text, title }: Record<string, unknown>): string | undefined {
	return [text, title].find(isFilled);
}

function isFilled(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

/**
 * Collects the facts that help to find a post on the platform.
 *
 * @param sentAt ISO 8601 time; absent when this execution did not send the post
 */
function cluesOf(body: Record<string, unknown>, sentAt?: string): Clues {
	const text = textIn(body);
	return {
		...(sentAt && { sent_at: sentAt }),
		...(isFilled(body.social_account_id) && { social_account_id: body.social_account_id }),
		...(text && { text_beginning: [...text].slice(0, MAX_BEGINNING).join('') }),
	};
}

/**
 * Lines about how to find the post on the platform.
 *
 * @param next lines about what to do afterwards
 */
function howToFind({ sent_at, social_account_id, text_beginning }: Clues, next: string): string {
	const when = sent_at ? `It was sent at ${sent_at}. ` : '';
	const account = social_account_id ? `account ${social_account_id}` : 'the account';
	const which = text_beginning ? `a post that begins “${onOneLine(text_beginning)}”` : 'it';
	return lines(`${when}Check on the platform whether ${account} has ${which}.`, next);
}

function accepted(value: object): Outcome<object> {
	return { kind: 'accepted', value };
}

function outputItem(run: SendContext, post: Post, outcome: Outcome<AcceptedPost>): Outcome<object> {
	if (outcome.kind !== 'accepted') return outcome;
	run.tally.set(post.identity.itemIndex, 'accepted');
	const { warnings } = addNote(run, post);
	const output = chosenOutput(outcome.value, post.options);
	if (!run.isTool) return accepted(output);
	const time = post.publishAt !== undefined && { scheduled_for: post.body.post_date };
	return accepted({ ...output, ...time, ...(warnings.length > 0 && { warnings }) });
}

/** Adds what the summary says about an accepted post, and returns it. */
function addNote({ notes }: SendContext, post: Post): PostNote {
	const { identity, name, publishAt = 0, warnings } = post;
	const isScheduled = publishAt > Date.now();
	const note = { name, warnings: warnings(), ...(isScheduled && { publishAt }) };
	if (isScheduled || note.warnings.length > 0) notes[identity.itemIndex] = note;
	return note;
}

function chosenOutput({ envelope, output }: PostResponse, { fullEnvelope }: CreateOptions): object {
	return fullEnvelope ? envelope : output;
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
