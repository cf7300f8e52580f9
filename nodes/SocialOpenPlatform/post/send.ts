import type { IExecuteFunctions } from 'n8n-workflow';
import type { Envelope } from '../platform/envelope';
import type { Issue } from '../platform/issue';
import { readPostAnswer } from './wire';
import type { Limiter } from '../platform/limiter';
import {
	invalid,
	lines,
	joinIssues,
	unknown,
	type Failed,
	type Outcome,
} from '../platform/outcome';
import { sendRequest, type Connection, type RepeatableRequest } from '../platform/request';
import type { Clues, Ledger, PostIdentity, RecordedOutcome } from './ledger';
import { nameOf } from '../items/operation';
import { postKey, sendOnce } from './keys/keyHistory';
import { linkFiles } from './media/files';
import type { CreateOptions } from './postSettings';
import { pastTime } from './publishTime';
import type { PlacedFile } from './read';
import { whenResent } from './retryAdvice';
import type { PostNote, Tally } from './summary';

type Unknown = Extract<RecordedOutcome, { state: 'unknown' }>;

/** What a run needs to send its posts. */
export interface SendContext {
	context: IExecuteFunctions;
	limiter: Limiter;
	connection: Connection;
	/** Identifies the application. */
	app: string;
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
	account?: string;
	contentType?: string;
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

const NOT_SENT_AGAIN = 'It was not sent again.';

const IF_POSTED =
	"If the platform has it, set 'On Error' of this node to Continue and retry. The workflow then continues with the other posts.";

const OTHER_RETRY = 'another retry of this execution sent it and got no usable response';

const OTHER_RETRY_SENT = 'Not posted, because another retry of this execution published it.';

const SENT_BEFORE =
	'it, or another post with the same key, was sent before, and no usable response arrived';

const CHECK_STATUS =
	'the platform accepted the post but may not publish it, so check it on the platform';

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
export async function sendPost(run: SendContext, post: Post): Promise<Outcome<object>> {
	const { identity, options } = post;
	const { itemIndex } = identity;
	return await run.ledger.runExclusively(identity, async () => {
		const known = run.ledger.find(identity);
		if (known?.state === 'accepted') {
			run.tally.set(itemIndex, 'earlier');
			return accepted(run.isTool ? { ...known.output, ...REPEATED } : known.output);
		}
		if (known && (post.invalid || !options.resendUnknown)) return stillUnknown(run, post, known);
		const key = keyOf(run, post);
		const issues = key ? undefined : await post.check();
		const outcome =
			issues ??
			(await run.limiter.run(itemIndex, async () =>
				key ? await sendOncePerKey(run, post, key, known) : await send(run, post, known),
			));
		return orStillUnknown(run, post, known, outcome);
	});
}

/** An outcome that is still unknown if it was unknown before and the post was not accepted now. */
function orStillUnknown<T>(
	run: SendContext,
	post: Post,
	before: Unknown | undefined,
	outcome: Outcome<T>,
): Outcome<T> {
	const isNotAccepted = 'failure' in outcome && outcome.kind !== 'unknown';
	return before && isNotAccepted ? stillUnknown(run, post, before, outcome) : outcome;
}

/**
 * The key of a post: the user's key, or a generated key in a retry. Several retries may start from
 * the same failed execution, and each has its own copy of the ledger, so posts of retries are also
 * recorded outside of the ledger.
 */
function keyOf(
	{ context, ledger, app }: SendContext,
	{ identity, options, account, contentType, invalid: failed }: Post,
): unknown[] | undefined {
	if (failed && account === undefined) return undefined;
	if (options.oncePerKey !== undefined) {
		return postKey(app, account, contentType, options.oncePerKey);
	}
	if (context.getMode() !== 'retry') return undefined;
	return ['retry', context.getNode().name, ...ledger.keyOf(identity)];
}

async function sendOncePerKey(
	run: SendContext,
	post: Post,
	key: unknown[],
	before: Unknown | undefined,
): Promise<Outcome<object>> {
	const { resendUnknown, oncePerKey } = post.options;
	const outcome = await sendOnce(run.context, key, resendUnknown, async (isUnknown) => {
		const sentBefore = { state: 'unknown', reason: SENT_BEFORE, clues: cluesOf(post) } as const;
		const earlier = before ?? (isUnknown ? sentBefore : undefined);
		const failed = await post.check();
		return orStillUnknown(run, post, earlier, failed ?? (await send(run, post, earlier)));
	});
	if (outcome.kind !== 'used') return outcome;
	const isAccepted = outcome.outcome === 'accepted';
	if (oncePerKey === undefined && !isAccepted) {
		return stillUnknown(run, post, { reason: OTHER_RETRY, clues: cluesOf(post) });
	}
	run.tally.set(post.identity.itemIndex, oncePerKey === undefined ? 'earlier' : 'skipped');
	const first = { outcome: outcome.outcome };
	if (oncePerKey === undefined) return accepted({ skipped: true, note: OTHER_RETRY_SENT, first });
	const known = isAccepted ? 'was posted before' : 'was sent before and its outcome is unknown';
	const note = `Not posted, because the key '${oncePerKey}' ${known}.`;
	return accepted({ skipped: true, note, key: oncePerKey, first });
}

/**
 * Sends a post, and records each change in the ledger at once, because n8n may end the execution at
 * any moment.
 *
 * @param before the unknown outcome of an earlier request
 * @returns the output item
 */
async function send(
	run: SendContext,
	post: Post,
	before: Unknown | undefined,
): Promise<Outcome<object>> {
	const { context, ledger, connection } = run;
	const { identity, name, body, options } = post;
	let sentAt = '';
	const request: RepeatableRequest<Envelope> = {
		operation: 'createPost',
		body,
		read: readPostAnswer,
		timeout: Math.ceil(options.timeout * 1000),
		rateLimitWait: options.rateLimitWait * 1000,
		what: name ?? THE_POST,
		beforeSend: async () => {
			// A rate limit may have lasted for hours, so each request gets links of its own.
			const linked = await linkFiles(context, name, post, options.fileLinkValidity);
			const failed =
				'failure' in linked
					? linked
					: (tooLate(context, post, sentAt !== '') ?? tooMany(run, post, before));
			if (failed) return failed;
			Object.assign(request, linked);
			sentAt = new Date().toISOString();
			const clues = cluesOf(post, sentAt);
			ledger.record(identity, { state: 'unknown', clues, reason: UNDER_WAY });
			return undefined;
		},
		onRateLimit: () => ledger.record(identity, before),
	};
	const outcome = await sendRequest(connection, identity.itemIndex, request);
	if (outcome.kind === 'accepted') {
		const { requestId, data } = outcome.value;
		const record = { request_id: requestId, ...(data as { status?: unknown }) };
		const output = acceptedOutput(run, post, record);
		ledger.record(identity, { state: 'accepted', output });
		return accepted(output);
	}
	if (outcome.kind !== 'unknown') {
		if (sentAt !== '' || before) ledger.record(identity, before);
		return outcome;
	}
	const { failure } = outcome;
	const clues = cluesOf(post, sentAt);
	ledger.record(identity, { state: 'unknown', clues, reason: failure.facts?.reason ?? '' });
	const description = howToFind(clues, whenResent(context));
	const facts = { ...failure.facts, ...clues };
	return { kind: 'unknown', failure: { ...failure, description, facts } };
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

/** Refuses a new post of an agent whose other calls have reached *Max Posts per Run*. */
function tooMany(
	{ ledger, isTool }: SendContext,
	{ options }: Post,
	before: Unknown | undefined,
): Failed | undefined {
	const { maxPostsPerRun: limit = Infinity } = options;
	if (!isTool || before || ledger.size < limit) return undefined;
	const message = `'Max Posts per Run' is ${limit}, and this execution has sent ${ledger.size} of them`;
	const description = 'Nothing was sent. Do not call again.';
	return { kind: 'invalid', failure: { message, description } };
}

/**
 * The failure of a post whose outcome was unknown before, and which was not accepted now.
 *
 * @param now why this attempt did not publish it; by default, the issues of its fields, if there are any
 */
function stillUnknown(
	{ context }: SendContext,
	post: Post,
	{ reason, clues }: Pick<Unknown, 'reason' | 'clues'>,
	now = post.invalid,
): Failed {
	const next = now
		? describeAttempt(now, now !== post.invalid)
		: lines(NOT_SENT_AGAIN, whenResent(context), context.getMode() === 'retry' && IF_POSTED);
	const advice = howToFind(clues, next);
	const { kind, failure } = unknown(post.name ?? THE_POST, reason, advice);
	const facts = { ...failure.facts, ...clues };
	return { kind, failure: { ...failure, facts, isFromEarlierAttempt: true } };
}

/** Describes why this attempt did not publish a post whose outcome was unknown before. */
function describeAttempt({ kind, failure }: Failed, isResend: boolean): string {
	const { message, description, facts } = failure;
	if (kind !== 'invalid') {
		const what = isResend ? 'Sending it again did not succeed.' : NOT_SENT_AGAIN;
		return lines(`${what} ${message}`, description);
	}
	const issues = facts?.problems ? joinIssues(facts.problems as Issue[]) : message;
	return `This attempt did not publish it. In addition, ${issues}.`;
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
	return [text, title].find((value) => typeof value === 'string' && value !== '') as string;
}

/**
 * Collects the facts that help to find a post on the platform.
 *
 * @param sentAt ISO 8601 time; absent when this execution did not send the post
 */
function cluesOf({ body, account }: Post, sentAt?: string): Clues {
	const text = textIn(body);
	return {
		...(sentAt && { sent_at: sentAt }),
		...(account && { social_account_id: account }),
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

/** The output of a post that was accepted now. An agent also learns its time and its warnings. */
function acceptedOutput(run: SendContext, post: Post, output: { status?: unknown }): object {
	const { identity, name, publishAt = 0, body } = post;
	const { status } = output;
	const isFailed = status === 'failed' || status === 'deleted';
	run.tally.set(identity.itemIndex, isFailed ? 'failed' : 'accepted');
	const warnings = post.warnings();
	if (isFailed) warnings.unshift({ field: 'status', message: `is '${status}'; ${CHECK_STATUS}` });
	const isScheduled = publishAt > Date.now();
	if (isScheduled || warnings.length > 0) {
		run.notes[identity.itemIndex] = { name, warnings, ...(isScheduled && { publishAt }) };
	}
	if (!run.isTool) return output;
	const time = post.publishAt !== undefined && { scheduled_for: body.post_date };
	return { ...output, ...time, ...(warnings.length > 0 && { warnings }) };
}
