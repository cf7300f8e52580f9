import { invalid } from '../items/parameters';
import type { Envelope } from '../platform/response';
import type { Failed, Outcome } from '../platform/outcome';
import { sendRequest, type RepeatableRequest } from '../platform/client';
import { PUBLISH_AT } from './fields';
import { cluesOf, type PostIdentity } from './ledger';
import { linkFiles } from './media/files';
import type { PostRun } from './summary';
import { describeTime, pastTime } from './publishTime';
import { filesOf, readPostAnswer, THE_POST, type Post } from './post';
import { sentWithoutResponse, type Unknown } from './retryAdvice';

/**
 * The reason in the ledger while a request is under way. It remains if the execution ends before a
 * response arrives.
 */
const UNDER_WAY = 'no response had arrived when the execution ended';

const CHECK_STATUS =
	'the platform accepted the post but may not publish it, so check it on the platform';

/**
 * Sends a post, and records each change in the ledger at once, because n8n may end the execution at
 * any moment.
 *
 * @param before the unknown outcome of an earlier request
 * @returns the output item
 */
export async function sendPost(
	run: PostRun,
	post: Post,
	identity: PostIdentity,
	before: Unknown | undefined,
): Promise<Outcome<object>> {
	const { ledger, context } = run;
	const { values } = post;
	const { timeout, rateLimitWait, fileLinkValidity } = post.options;
	/** Set by `content` each time the post is sent. */
	let sentAt = '';
	const request: RepeatableRequest<Envelope> = {
		operation: 'createPost',
		read: readPostAnswer,
		timeout: Math.ceil(timeout * 1000),
		rateLimitWait: rateLimitWait * 1000,
		what: post.name ?? THE_POST,
		content: async () => {
			// A rate limit may have lasted for hours, so each request gets links of its own.
			const hasFiles = filesOf(post.media).length > 0;
			const content = hasFiles
				? await linkFiles(context, post, fileLinkValidity)
				: { body: post.body };
			if ('failure' in content) return content;
			// There must be no await from here to the record, or another call of an agent could pass the check.
			const failed = tooLate(run, post, sentAt !== '') ?? tooMany(run, post, before);
			if (failed) return failed;
			sentAt = new Date().toISOString();
			const clues = cluesOf(values, sentAt);
			ledger.record(identity, { state: 'unknown', clues, reason: UNDER_WAY });
			return content;
		},
		onRateLimit: () => ledger.record(identity, before),
	};
	const outcome = await sendRequest(run, post.itemIndex, request);
	if (outcome.kind === 'accepted') {
		const { requestId, data } = outcome.value;
		const record = { request_id: requestId, ...(data as { status?: unknown }) };
		const output = acceptedOutput(run, post, record);
		ledger.record(identity, { state: 'accepted', output });
		return { kind: 'accepted', value: output };
	}
	if (outcome.kind !== 'unknown') {
		if (sentAt !== '' || before) ledger.record(identity, before);
		return outcome;
	}
	const { facts } = outcome.failure;
	const unknown = { clues: cluesOf(values, sentAt), reason: facts?.reason ?? '' };
	ledger.record(identity, { state: 'unknown', ...unknown });
	const { kind, failure } = sentWithoutResponse(context, post, unknown);
	return { kind, failure: { ...failure, facts: { ...facts, ...failure.facts } } };
}

/**
 * The issue of a post whose publish time has passed while it waited for its turn or for a rate
 * limit.
 */
function tooLate(
	{ context }: PostRun,
	{ name, values }: Post,
	wasSent: boolean,
): Failed | undefined {
	const date = values.post_date;
	const passed = date && pastTime(date, context.getTimezone());
	if (!passed) return undefined;
	const { kind, failure } = invalid(name, [{ field: PUBLISH_AT, message: passed }]);
	if (!wasSent) return { kind, failure };
	const description =
		'The time passed while the post waited for a rate limit. The platform had not accepted it, and it was not sent again. Choose a later time.';
	return { kind, failure: { ...failure, description } };
}

/** Refuses a new post of an agent whose other calls have reached *Max Posts per Run*. */
function tooMany(
	{ ledger, isTool }: PostRun,
	{ options }: Post,
	before: Unknown | undefined,
): Failed | undefined {
	const { maxPostsPerRun: limit = Infinity } = options;
	if (!isTool || before || ledger.size < limit) return undefined;
	const message = `'Max Posts per Run' is ${limit}, and this execution has sent ${ledger.size} of them`;
	const description = 'Nothing was sent. Do not call again.';
	return { kind: 'invalid', failure: { message, description } };
}

/** The output of a post that was accepted now. An agent also learns its warnings. */
function acceptedOutput(run: PostRun, post: Post, output: { status?: unknown }): object {
	const { itemIndex, name, values } = post;
	const { status } = output;
	const isFailed = status === 'failed' || status === 'deleted';
	const message = `is '${String(status)}'; ${CHECK_STATUS}`;
	const warnings = [...(isFailed ? [{ field: 'status', message }] : []), ...post.warnings];
	const publishAt = values.post_date === undefined ? 0 : Date.parse(values.post_date);
	const isScheduled = publishAt > Date.now();
	const note = { name, warnings, ...(isScheduled && { publishAt }) };
	run.record(itemIndex, isFailed ? 'failed' : 'accepted', note);
	const { post_date: date } = values;
	const time = date && describeTime(date, run.context.getTimezone());
	return {
		...output,
		...(time && { scheduled_for: time.scheduled_for }),
		...(run.isTool && warnings.length > 0 && { warnings }),
	};
}
