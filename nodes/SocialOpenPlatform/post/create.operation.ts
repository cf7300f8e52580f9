import type { IExecuteFunctions } from 'n8n-workflow';
import { afterEarlierCalls, forAgent, mayResend } from '../items/agentTool';
import type { Limiter } from '../platform/limiter';
import { type Failed, failed, type Outcome } from '../platform/outcome';
import { PUBLISH_AT } from './fields';
import type { PostIdentity } from './ledger';
import { PostReader, replaceFiles, type Post } from './post';
import { sendPost } from './send';
import { issuesOf, notSentAgain, orStillUnknown, PostRun } from './summary';

export { howToRetry } from './summary';

const CHECK_LIMIT = 'No post of this run was sent. To send all of them, increase the limit.';

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
	return beyondLimit ? failed.invalid(undefined, [beyondLimit], CHECK_LIMIT) : run;
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
		// `sendPost` reports other issues, after it has looked for a used key.
		if (problem && (known || problem.failure.error)) return orStillUnknown(post, problem);
		const resends = post.options.resendUnknown && mayResend(context);
		if (known && !resends) return notSentAgain(context, post, known);
		return orStillUnknown(post, await sendPost(run, post, identity));
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
		// Other issues may leave fields out of the request, which then does not identify the post.
		const isComplete = post.issues.every(({ field }) => field === PUBLISH_AT);
		const identity = ledger.identify(itemIndex, isComplete ? request : undefined);
		return { post, identity, problem: issuesOf(context, post) };
	} catch (error) {
		const post = reader.unreadable(itemIndex);
		return { post, identity: ledger.identify(itemIndex), problem: failed.unexpected(error) };
	}
}
