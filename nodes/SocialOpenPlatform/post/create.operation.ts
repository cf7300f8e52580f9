import type { IExecuteFunctions } from 'n8n-workflow';
import { invalid } from '../items/parameters';
import { nameOf } from '../items/run';
import type { Limiter } from '../platform/limiter';
import { unexpected, type Failed, type Outcome } from '../platform/outcome';
import { checkPost } from './check';
import { PUBLISH_AT } from './fields';
import { postKey, sendOnce } from './keys/keys';
import { cluesOf, type PostIdentity } from './ledger';
import { storeFiles } from './media/files';
import { PostRun } from './summary';
import { defaultOptions } from './sendingOptions';
import { PostReader, replaceFiles, type Post } from './post';
import { notSentAgain, orStillUnknown, type Unknown } from './retryAdvice';
import { sendPost } from './send';

export { howToRetry } from './retryAdvice';

const CHECK_LIMIT =
	'Nothing was sent. Check the option, and increase it if all of these posts are meant.';

const SEE_VALIDATE = 'To see the exact request without sending it, use the operation Validate.';

const OTHER_RETRY = 'another retry of this execution sent it and got no usable response';

const OTHER_RETRY_SENT = 'Not posted, because another retry of this execution published it.';

const SENT_BEFORE =
	'it, or another post with the same key, was sent before, and no usable response arrived';

const WAS_POSTED =
	"was posted before. If the platform has reported that this post failed, use 'Clear Deduplication Keys', then post it again.";

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

/** The post of an item before its media are read. */
interface Draft {
	post: Post;
	identity: PostIdentity;
	/** The failure of an item whose fields cannot be sent. */
	failed?: Failed;
}

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
	// The calls of an agent are counted when they are sent.
	const beyondLimit = reader.limitIssue(({ resendUnknown }) =>
		run.isTool ? 0 : run.countPosts(resendUnknown),
	);
	if (!beyondLimit) return run;
	const { kind, failure } = invalid(undefined, [beyondLimit]);
	return { kind, failure: { ...failure, description: CHECK_LIMIT } };
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
	const draft = readDraft(run, itemIndex);
	const { post, identity, failed } = draft;
	return await run.ledger.runExclusively(identity, async () => {
		const earlier = run.ledger.find(identity);
		if (earlier?.state === 'accepted') return repeated(run, itemIndex, earlier.output);
		if (earlier && failed) return orStillUnknown(post, earlier, failed);
		// An agent repeats calls on its own, so only a retry of its execution resends a post.
		const mayResend = !run.isTool || context.getMode() === 'retry';
		if (earlier && !(mayResend && post.options.resendUnknown)) {
			return notSentAgain(context, post, earlier);
		}
		const outcome = await checkAndSend(run, draft, earlier);
		return earlier ? orStillUnknown(post, earlier, outcome) : outcome;
	});
}

/** Checks and sends a post. If it has a key, it is checked only after its key was claimed. */
async function checkAndSend(
	run: PostRun,
	draft: Draft,
	earlier: Unknown | undefined,
): Promise<Outcome<object>> {
	const { limiter } = run;
	const { itemIndex } = draft.post;
	const key = keyOf(run, draft);
	if (key) return await limiter.runInTurn(itemIndex, () => claimAndSend(run, draft, key, earlier));
	const checked = await checkForSending(run, draft);
	if ('failure' in checked) return checked;
	return await limiter.runInTurn(itemIndex, () => sendPost(run, checked, draft.identity, earlier));
}

/** Reads the post of an item, and identifies it even if it cannot be read. */
function readDraft(run: PostRun, itemIndex: number): Draft {
	const { ledger, reader, itemCount } = run;
	try {
		const post = reader.read(itemIndex);
		const request = replaceFiles(post.body, (file) => file.identity);
		// Other issues may leave fields out of the request, which then does not identify the post.
		const isComplete = post.issues.every(({ field }) => field === PUBLISH_AT);
		const identity = ledger.identify(itemIndex, isComplete ? request : undefined);
		return { post, identity, failed: failureOf(run, post) };
	} catch (error) {
		const name = nameOf('post', itemIndex, itemCount);
		const nothing = { values: {}, body: {}, media: [], found: new Map(), issues: [], warnings: [] };
		const post = { ...nothing, itemIndex, name, options: defaultOptions() };
		return { post, identity: ledger.identify(itemIndex), failed: unexpected(error) };
	}
}

/** The failure of a post with issues. */
function failureOf({ isTool: isAgent }: PostRun, { name, issues }: Post): Failed | undefined {
	return issues.length > 0 ? invalid(name, issues, isAgent ? '' : SEE_VALIDATE) : undefined;
}

/** Checks all of a post right before it is sent, and prepares its files for links. */
async function checkForSending(run: PostRun, { post, failed }: Draft): Promise<Post | Failed> {
	// Issues are reported below, together with those of the media.
	if (failed?.failure.error) return failed;
	try {
		const opensLinks = post.options.checkMedia ?? false;
		const checked = await checkPost(run.reader, post, opensLinks);
		const invalidPost = failureOf(run, checked);
		if (invalidPost || checked.found.size === 0) return invalidPost ?? checked;
		const stored = await storeFiles(run.context, checked.found, post.name);
		return 'failure' in stored ? stored : { ...checked, found: stored };
	} catch (error) {
		return unexpected(error);
	}
}

/**
 * The key of a post: the user's key, or a generated key in a retry. Several retries may start from
 * the same failed execution, and each has its own copy of the ledger, so posts of retries are also
 * recorded outside of the ledger.
 */
function keyOf({ context, ledger, app }: PostRun, { post, identity, failed }: Draft) {
	const { social_account_id: account, type } = post.values;
	if (failed && account === undefined) return undefined;
	const { oncePerKey } = post.options;
	if (oncePerKey !== undefined) return postKey(app, account, type, oncePerKey);
	if (context.getMode() !== 'retry') return undefined;
	return ['retry', context.getNode().name, ...ledger.keyOf(identity)];
}

/** Sends a post if its key is free. Its media are read only then. */
async function claimAndSend(
	run: PostRun,
	draft: Draft,
	key: unknown[],
	before: Unknown | undefined,
): Promise<Outcome<object>> {
	const { context } = run;
	const { post, identity } = draft;
	const { resendUnknown, oncePerKey } = post.options;
	const outcome = await sendOnce(context, key, resendUnknown, async (isUnknown) => {
		const sentBefore = {
			state: 'unknown',
			reason: SENT_BEFORE,
			clues: cluesOf(post.values),
		} as const;
		const earlier = before ?? (isUnknown ? sentBefore : undefined);
		const checked = await checkForSending(run, draft);
		const sent = 'failure' in checked ? checked : await sendPost(run, checked, identity, earlier);
		return earlier ? orStillUnknown(post, earlier, sent) : sent;
	});
	if (outcome.kind !== 'used') return outcome;
	const first = { outcome: outcome.outcome };
	const isAccepted = outcome.outcome === 'accepted';
	if (oncePerKey === undefined) {
		if (!isAccepted) {
			return notSentAgain(context, post, { reason: OTHER_RETRY, clues: cluesOf(post.values) });
		}
		run.record(post.itemIndex, 'earlier');
		return accepted({ skipped: true, note: OTHER_RETRY_SENT, first });
	}
	run.record(post.itemIndex, 'skipped');
	const known = isAccepted ? WAS_POSTED : 'was sent before and its outcome is unknown.';
	const note = `Not posted, because the key '${oncePerKey}' ${known}`;
	return accepted({ skipped: true, note, key: oncePerKey, first });
}

/** The output of a post that was accepted earlier in this execution. */
function repeated(run: PostRun, itemIndex: number, output: object): Outcome<object> {
	run.record(itemIndex, 'earlier');
	return accepted(run.isTool ? { ...output, ...REPEATED } : output);
}

function accepted(value: object): Outcome<object> {
	return { kind: 'accepted', value };
}
