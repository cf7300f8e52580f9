import type { IExecuteFunctions } from 'n8n-workflow';
import { afterEarlierCalls, forAgent, mayResend, tooManyCalls } from '../items/agentTool';
import { send } from '../platform/client';
import { isJsonObject } from '../platform/json';
import type { Limiter } from '../platform/limiter';
import { type Failed, failed, type Outcome, stopped } from '../platform/outcome';
import { readBusinessResponse, type Envelope, type ResponseReader } from '../platform/response';
import { PUBLISH_AT } from './fields';
import { postKey, takeKey } from './keys/claim';
import { cluesOf, type PostIdentity, type UnknownOutcome } from './ledger';
import { checkMedia, linkFiles } from './media/files';
import { PostReader, replaceFiles, THE_POST, type Post } from './post';
import { describeTime, pastTime } from './publishTime';
import {
	invalidPost,
	notSentAgain,
	orStillUnknown,
	PostRun,
	SENT_BEFORE,
	skipped,
	unknownFailure,
	whenResent,
} from './postRun';

export { howToRetry } from './postRun';

const REPEATED = {
	repeated: true,
	note: 'This post was already accepted earlier in this execution. It was not published a second time.',
};

/** The failure for a call outside an execution, such as a call by an agent without a workflow. */
const NO_EXECUTION: Failed = {
	kind: 'invalid',
	failure: {
		message: 'Nothing was sent: this call is not part of an execution',
		description: 'Use the tool in an AI Agent of a workflow.',
	},
};

/**
 * The reason in the ledger while a request is under way. It remains if the execution ends before a
 * response arrives.
 */
const UNDER_WAY = 'no response had arrived when the execution ended';

/**
 * Time, in milliseconds, that another process needs at most to check links and fetch one token
 * before it sends a post. A rejected token or a large file may take longer.
 */
const MAX_PREPARATION_MS = 40_000;

/** Creates the objects that the posts of a run share, and checks *Max Posts per Run*. */
export async function begin(
	context: IExecuteFunctions,
	limiter: Limiter,
): Promise<PostRun | Failed> {
	// A call from the MCP Server Trigger has no execution ID, but its workflow ID is sufficient.
	if (!context.getExecutionId() && !context.getWorkflow().id) return NO_EXECUTION;
	// The ID is recorded even if the run cannot begin, because all retries of the execution share it.
	context.getContext('node').execution ??= context.getExecutionId();
	const reader = await PostReader.open(context);
	if ('failure' in reader) return reader;
	const run = new PostRun(context, limiter, reader);
	const beyondLimit = reader.limitIssue(({ resendUnknown }) => run.countPosts(resendUnknown));
	return beyondLimit
		? failed.invalid(
				undefined,
				[beyondLimit],
				'No post of this run was sent. To send all of them, increase the limit.',
			)
		: run;
}

/**
 * Publishes one post. A post that was accepted earlier in the execution is not sent again, even if
 * its item is invalid now. A post with an unknown outcome is resent only if the user has turned on
 * *Resend If Outcome Unknown*.
 *
 * @returns the platform's action record and the `request_id`, or a note for a skipped post
 */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	run: PostRun,
): Promise<Outcome<object>> {
	const { post, identity, problem } = readItem(run, itemIndex);
	const { place, sourceDigest } = identity;
	return await afterEarlierCalls(context, [`call:${sourceDigest}`, place], async () => {
		const known = run.ledger.find(identity);
		if (known?.state === 'accepted') {
			run.count(itemIndex, 'earlier');
			return { kind: 'accepted', value: { ...known.output, ...forAgent(context, REPEATED) } };
		}
		post.earlier = known;
		// An error while reading is reported now, and so are the issues of a post with an unknown
		// outcome. `sendPost` reports other issues later, because a post whose key was used is skipped
		// even if it is invalid.
		if (problem && (known || problem.failure.error)) return orStillUnknown(post, problem);
		const resends = post.options.resendUnknown && mayResend(context);
		if (known && !resends) return notSentAgain(context, post);
		return orStillUnknown(post, await sendPost(run, post, identity, resends));
	});
}

/** Reads the post of an item, and identifies it even if it cannot be read. */
function readItem(
	{ context, reader, ledger }: PostRun,
	itemIndex: number,
): { post: Post; identity: PostIdentity; problem?: Failed } {
	try {
		const post = reader.read(itemIndex);
		const request = replaceFiles(post, (file) => file.identity);
		// A post with an issue may lack fields, so its request does not identify it. A publish time in
		// the past is also an issue, but stays in the request.
		const isWhole = post.issues.every(({ field }) => field === PUBLISH_AT && post.values.post_date);
		const identity = ledger.identify(itemIndex, isWhole ? request : undefined);
		return { post, identity, problem: invalidPost(context, post) };
	} catch (error) {
		const post = reader.unreadable(itemIndex);
		return { post, identity: ledger.identify(itemIndex), problem: failed.unexpected(error) };
	}
}

/**
 * Sends a post. The ledger records the post before the request, because n8n may cancel the
 * execution at any moment. After a crash, only the entries of the post's key remain. The request is
 * resent after a rate limit (by `attempt.pauseToResend`) and after a rejected token (by `send`),
 * because the platform has not accepted the post in these cases. The post's key is held while the
 * post is checked and sent, but not during a wait for a rate limit.
 */
async function sendPost(
	run: PostRun,
	post: Post,
	identity: PostIdentity,
	resends: boolean,
): Promise<Outcome<object>> {
	const { context, session, limiter, ledger } = run;
	const { itemIndex, name: what = THE_POST, body, media, values, options } = post;
	const key = keyOf(run, post, identity);
	const resendAfterMs = resends ? MAX_PREPARATION_MS + options.timeout * 1000 : undefined;
	// Without a key, the media are checked now, while earlier posts are sent. With a key, they are
	// checked after the key is taken, because a post whose key was used is skipped without a check.
	let problem = key ? undefined : await checkAll(run, post);
	if (problem) return problem;
	for await (const attempt of limiter.attempts(itemIndex, options.rateLimitWait * 1000)) {
		const claim = key && (await takeKey(context, key, resendAfterMs));
		if (claim && 'failure' in claim) return claim;
		if (claim?.state === 'accepted') return skipped(run, post);
		if (claim?.state === 'unknown') {
			post.earlier ??= { state: 'unknown', reason: SENT_BEFORE, clues: cluesOf(values) };
			if (!claim.settle) return notSentAgain(context, post);
		}
		if (key && attempt.isFirst) problem = await checkAll(run, post);
		// Each attempt creates new links to the files, because older links may expire during a long
		// wait for a rate limit.
		const content = problem ?? (media.length > 0 ? await linkFiles(context, post) : { body });
		// There must be no await between `tooLateOrTooMany` and `ledger.record`. Otherwise, another
		// call of an agent could pass the same check in the meantime.
		const request = 'failure' in content ? content : (tooLateOrTooMany(run, post) ?? content);
		let outcome: Outcome<object>;
		if ('failure' in request) {
			outcome = request;
		} else {
			const clues = cluesOf(values, new Date().toISOString());
			const sending: UnknownOutcome = { state: 'unknown', clues, reason: UNDER_WAY };
			ledger.record(identity, sending);
			const sent = await send(session, {
				operation: 'createPost',
				what,
				read: readPostResponse,
				timeout: Math.ceil(options.timeout * 1000),
				...request,
			});
			if (sent.kind === 'accepted') {
				const output = outputOf(run, post, sent.value);
				ledger.record(identity, { state: 'accepted', output });
				outcome = { kind: 'accepted', value: output };
			} else if (sent.kind === 'unknown') {
				const unknown = { ...sending, reason: sent.failure.facts?.reason ?? '' };
				ledger.record(identity, unknown);
				outcome = unknownFailure(post, unknown, whenResent(context), sent);
			} else {
				// This request was not accepted, so only an earlier outcome stays in the ledger.
				ledger.record(identity, post.earlier);
				outcome = sent;
			}
		}
		await claim?.settle?.(outcome.kind);
		if (!attempt.pauseToResend(outcome)) return outcome;
	}
	return stopped;
}

/**
 * Returns the key of a post: the user's key or, in a retry, a generated one. Several retries may
 * start from the same failed execution, each with its own copy of the ledger. The key is stored
 * outside the ledger, so that these retries share it.
 */
function keyOf({ context, ledger }: PostRun, { values, options }: Post, identity: PostIdentity) {
	const { social_account_id: account, type } = values;
	const { oncePerKey } = options;
	// A post without an account has an issue and is not sent, so it needs no key.
	if (account === undefined) return undefined;
	if (oncePerKey !== undefined) return postKey(ledger.app, account, type, oncePerKey);
	return context.getMode() === 'retry' ? ledger.retryKey(identity) : undefined;
}

/** Checks the media of a post, if it has any, and returns a failure if the post has issues. */
async function checkAll(run: PostRun, post: Post): Promise<Failed | undefined> {
	try {
		if (post.media.length > 0) {
			await checkMedia(run.reader, post, post.options.checkMedia === true);
		}
		return invalidPost(run.context, post);
	} catch (error) {
		return failed.unexpected(error);
	}
}

/**
 * Returns a failure if the post's publish time has passed, or if an agent has already sent as many
 * posts as *Max Posts per Run* allows.
 */
function tooLateOrTooMany({ context, ledger }: PostRun, post: Post): Failed | undefined {
	const { name, values, options, earlier, timezone } = post;
	const passed = values.post_date && pastTime(values.post_date, timezone);
	if (!passed) {
		return earlier ? undefined : tooManyCalls(context, ledger, options.maxPostsPerRun);
	}
	const { kind, failure } = failed.invalid(name, [{ field: PUBLISH_AT, message: passed }]);
	const description = 'The time passed before the platform accepted the post. Choose a later time.';
	return { kind, failure: { ...failure, description } };
}

/**
 * Counts an accepted post in the summary, and returns its output. The output contains warnings
 * only if an agent calls the node.
 */
function outputOf(run: PostRun, post: Post, { requestId, data }: Envelope): object {
	const { itemIndex, values, options, timezone, warnings } = post;
	const { status } = data as { status?: string };
	const isFailed = /^"(failed|deleted)"$/i.test(JSON.stringify(status));
	if (isFailed) {
		warnings.unshift({
			field: 'status',
			message: `is '${status}'; the platform accepted the post but may not publish it, so check it on the platform`,
		});
	}
	run.count(itemIndex, isFailed ? 'failed' : 'accepted', post);
	const { post_date: date } = values;
	return {
		request_id: requestId,
		...(data as object),
		...(options.oncePerKey !== undefined && { key: options.oncePerKey }),
		...(date && { scheduled_for: describeTime(date, timezone).scheduled_for }),
		...(warnings.length > 0 && forAgent(run.context, { warnings })),
	};
}

/**
 * Reads the response to a post. A response that reports success must contain an action record
 * (platform interface, "Social action result"). Any JSON object counts as an action record, because
 * the interface does not show how the record's three variants differ.
 */
export const readPostResponse: ResponseReader<Envelope> = (response, request) => {
	const read = readBusinessResponse(response, request);
	if (read.kind !== 'accepted' || isJsonObject(read.value.data)) return read;
	return failed.unknown(
		request,
		'the response reports success, but contains no result',
		undefined,
		response.status,
	);
};
