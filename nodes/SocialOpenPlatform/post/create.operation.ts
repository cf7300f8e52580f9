import type { IExecuteFunctions } from 'n8n-workflow';
import { afterEarlierCalls, forAgent, mayResend, tooManyCalls } from '../items/agentTool';
import { send } from '../platform/client';
import { isJsonObject } from '../platform/json';
import type { Limiter } from '../platform/limiter';
import { type Failed, failed, type Outcome, stopped } from '../platform/outcome';
import {
	CHECK_BASE_URL,
	readBusinessResponse,
	type Envelope,
	type ResponseReader,
} from '../platform/response';
import { PUBLISH_AT } from './fields';
import { postKey, takeKey } from './keys/claim';
import { cluesOf, type PostIdentity, type UnknownPost } from './ledger';
import { checkPost, linkFiles } from './media/files';
import { PostReader, replaceFiles, THE_POST, type Post } from './post';
import { describeTime, pastTime } from './publishTime';
import {
	invalidPost,
	notSentAgain,
	orStillUnknown,
	PostRun,
	SENT_BEFORE,
	skipped,
	unknownPost,
	whenResent,
} from './postRun';

export { howToRetry } from './postRun';

const INCREASE_LIMIT = 'No post of this run was sent. To send all of them, increase the limit.';

const REPEATED = {
	repeated: true,
	note: 'This post was already accepted earlier in this execution. It was not published a second time.',
};

/** n8n's own agents, which are not part of a workflow, call nodes without an execution. */
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

/** Milliseconds that another process may need before it sends a post: for a token and to check links. */
const MAX_PREPARATION_MS = 40_000;

const MAY_NOT_PUBLISH =
	'the platform accepted the post but may not publish it, so check it on the platform';

/** Reads the objects that the posts of a run share. */
export async function begin(
	context: IExecuteFunctions,
	limiter: Limiter,
): Promise<PostRun | Failed> {
	// For the MCP Server Trigger, n8n provides only the workflow.
	if (!context.getExecutionId() && !context.getWorkflow().id) return NO_EXECUTION;
	const reader = await PostReader.open(context);
	if ('failure' in reader) return reader;
	const run = new PostRun(context, limiter, reader);
	const beyondLimit = reader.limitIssue(({ resendUnknown }) => run.countPosts(resendUnknown));
	return beyondLimit ? failed.invalid(undefined, [beyondLimit], INCREASE_LIMIT) : run;
}

/**
 * Publishes one post, at most once in an execution. The issues of the item are reported only if the
 * post was not sent before: an accepted post stays accepted even if its item is invalid now. A post
 * with an unknown outcome is sent again only if the user has chosen so.
 *
 * @returns the action record of the platform and its `request_id`
 */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	run: PostRun,
): Promise<Outcome<object>> {
	const { post, identity, problem } = readItem(run, itemIndex);
	const { place, source } = identity;
	return await afterEarlierCalls(context, [`call:${source}`, place], async () => {
		const known = run.ledger.find(identity);
		if (known?.state === 'accepted') {
			run.record(itemIndex, 'earlier');
			return { kind: 'accepted', value: { ...known.output, ...forAgent(context, REPEATED) } };
		}
		post.earlier = known;
		// A post that cannot be read is reported now. `sendPost` reports issues after it has looked for a
		// used key.
		if (problem && (known || problem.failure.error)) return orStillUnknown(post, problem);
		const resends = post.options.resendUnknown && mayResend(context);
		if (known && !resends) return notSentAgain(context, post, known);
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
		const request = replaceFiles(post.body, (file) => file.identity);
		// A post with an issue may lack fields, so its request does not identify it. A time in the past is
		// not left out.
		const isComplete = post.issues.every(({ field }) => field === PUBLISH_AT);
		const identity = ledger.identify(itemIndex, isComplete ? request : undefined);
		return { post, identity, problem: invalidPost(context, post) };
	} catch (error) {
		const post = reader.unreadable(itemIndex);
		return { post, identity: ledger.identify(itemIndex), problem: failed.unexpected(error) };
	}
}

/**
 * Sends a post. The ledger records it before it is sent, because n8n may end the execution at any
 * moment. Two things lead to another request: `attempt.repeats` after a rate limit, and `send` after a
 * rejected token. In both cases, the platform has not accepted the post. A key is held from the check of
 * the media to the response, and not during the wait for a rate limit.
 *
 * @returns the output item
 */
async function sendPost(
	run: PostRun,
	post: Post,
	identity: PostIdentity,
	resends: boolean,
): Promise<Outcome<object>> {
	const { context, session, limiter, ledger } = run;
	const { itemIndex, name: what = THE_POST, values, options } = post;
	const key = keyOf(run, post, identity);
	const resendAfterMs = resends ? MAX_PREPARATION_MS + options.timeout * 1000 : undefined;
	// The media of a post with a key are checked only if its key is free.
	let problem = key ? undefined : await checkAll(run, post);
	if (problem) return problem;
	for await (const attempt of limiter.attempts(itemIndex, options.rateLimitWait * 1000)) {
		const claim = key && (await takeKey(context, key, resendAfterMs));
		if (claim && 'failure' in claim) return claim;
		if (claim?.state === 'accepted') return skipped(run, post);
		if (claim?.state === 'unknown') {
			post.earlier ??= { state: 'unknown', reason: SENT_BEFORE, clues: cluesOf(values) };
			if (!claim.settle) return notSentAgain(context, post, post.earlier);
		}
		if (key && attempt.isFirst) problem = await checkAll(run, post);
		// Each request gets links of its own, because a rate limit may have lasted for hours.
		const content = problem ?? (await linkFiles(context, post));
		// There must be no await from here to the record, or another call of an agent could pass the check.
		const request = 'failure' in content ? content : (tooLateOrTooMany(run, post) ?? content);
		let outcome: Outcome<object>;
		if ('failure' in request) {
			outcome = request;
		} else {
			const clues = cluesOf(values, new Date().toISOString());
			const sending: UnknownPost = { state: 'unknown', clues, reason: UNDER_WAY };
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
				outcome = unknownPost(post, unknown, whenResent(context), sent);
			} else {
				// This request was not accepted, so the earlier outcome, if any, stays.
				ledger.record(identity, post.earlier);
				outcome = sent;
			}
		}
		await claim?.settle?.(outcome.kind);
		if (!attempt.repeats(outcome)) return outcome;
	}
	return stopped;
}

/**
 * The key of a post: the user's key, or a generated key in a retry. Several retries may start from
 * the same failed execution, and each has its own copy of the ledger, so posts of retries are also
 * recorded outside of the ledger.
 */
function keyOf({ context, ledger }: PostRun, { values, options }: Post, identity: PostIdentity) {
	const { social_account_id: account, type } = values;
	const { oncePerKey } = options;
	// Without an account, the post has an issue.
	if (account === undefined) return undefined;
	if (oncePerKey !== undefined) return postKey(ledger.app, account, type, oncePerKey);
	return context.getMode() === 'retry' ? ledger.retryKey(identity) : undefined;
}

/** Checks files, links and limits, and returns all issues of the post. */
async function checkAll(run: PostRun, post: Post): Promise<Failed | undefined> {
	try {
		await checkPost(run.reader, post, post.options.checkMedia === true);
		return invalidPost(run.context, post);
	} catch (error) {
		return failed.unexpected(error);
	}
}

/** The failure of a post that must not be sent now: it is too late, or the agent has sent too many. */
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

/** Records an accepted post for the summary, and returns its output. Only an agent gets warnings. */
function outputOf(run: PostRun, post: Post, { requestId, data }: Envelope): object {
	const { itemIndex, values, options, timezone, warnings } = post;
	const { status } = data as { status?: string };
	const isFailed = /^"(failed|deleted)"$/i.test(JSON.stringify(status));
	if (isFailed) {
		warnings.unshift({ field: 'status', message: `is '${status}'; ${MAY_NOT_PUBLISH}` });
	}
	run.record(itemIndex, isFailed ? 'failed' : 'accepted', post);
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
 * Reads the response to a post. If the response reports success, it must contain the action record,
 * which is what the platform stores about the request, with its ID `action_sn` (platform interface,
 * "Social action result"). Any object is accepted as one, because the interface does not show how its
 * three variants differ.
 */
export const readPostResponse: ResponseReader<Envelope> = (response, request) => {
	const read = readBusinessResponse(response, request);
	if (read.kind !== 'accepted' || isJsonObject(read.value.data)) return read;
	const reason = 'the response reports success, but contains no result';
	return failed.unknown(request, reason, CHECK_BASE_URL, response.status);
};
