import type { IExecuteFunctions } from 'n8n-workflow';
import { parameterReader } from '../items/parameterReader';
import type { Issue } from '../platform/issue';
import { replaceFiles } from './wire';
import type { Limiter } from '../platform/limiter';
import { invalid, unexpected, type Failed, type Outcome } from '../platform/outcome';
import { openSession } from '../platform/session';
import { isTool, stopsAtFailure } from '../items/agentTool';
import { Ledger } from './ledger';
import { nameOf, type Run } from '../items/operation';
import { digestOf, fingerprinter, type Fingerprint } from './identity';
import { labels } from './fields';
import { checkFiles, storeFiles } from './media/files';
import { checkLinks } from './media/links';
import {
	defaultOptions,
	optionLabels,
	optionsReader,
	type CreateOptions,
	type OptionsReading,
} from './postSettings';
import { postReader, type PreparedPost } from './read';
import { postName, sendPost, type Post, type SendContext } from './send';
import { summaryOf } from './summary';

export { howToRetry } from './retryAdvice';

/** What the posts of one run share. */
interface CreateRun extends Run, SendContext {
	read: (itemIndex: number) => PreparedPost;
	/** Checks the media of a post, and prepares its files for links. */
	check: (post: PreparedPost, options: CreateOptions, name?: string) => Promise<Failed | undefined>;
	options: (itemIndex: number) => OptionsReading;
	fingerprint: Fingerprint;
	itemCount: number;
}

const LIMIT = optionLabels.maxPostsPerRun!;

const CHECK_LIMIT =
	'Nothing was sent. Check the option, and increase it if all of these posts are meant.';

const SEE_VALIDATE = 'To see the exact request without sending it, use the operation Validate.';

/** n8n's own agents, which are not part of a workflow, call nodes without an execution. */
const NO_EXECUTION: Failed = {
	kind: 'invalid',
	failure: {
		message: 'Nothing was sent: this call is not part of an execution',
		description: 'Use the tool in an AI Agent of a workflow.',
	},
};

/** Reads what the posts of a run share. */
export async function begin(
	context: IExecuteFunctions,
	limiter: Limiter,
): Promise<CreateRun | Failed> {
	const executionId = context.getExecutionId();
	// For the MCP Server Trigger, n8n tells only the workflow.
	if (!executionId && !context.getWorkflow().id) return NO_EXECUTION;
	const session = await openSession(context, 'the post');
	if ('failure' in session) return session;
	const { settings } = session;
	const inTool = isTool(context);
	const app = digestOf(settings.appId);
	const ledger = new Ledger(context.getContext('node'), {
		runIndex: context.getWorkflowDataProxy(0).$runIndex as number,
		isTool: inTool,
		executionId,
		app,
	});
	const parameter = parameterReader(context);
	const readOptions = optionsReader();
	const options = (itemIndex: number) => readOptions(parameter('options', itemIndex, {}));
	const itemCount = context.getInputData().length;
	const fingerprint = fingerprinter(context);
	const beyondLimit = limitIssue(
		context,
		() => options(0),
		// The calls of an agent are counted when they are sent.
		({ resendUnknown }) => (inTool ? 0 : countPosts(ledger, fingerprint, itemCount, resendUnknown)),
	);
	if (beyondLimit) {
		const { kind, failure } = invalid(undefined, [beyondLimit]);
		return { kind, failure: { ...failure, description: CHECK_LIMIT } };
	}
	const tally: SendContext['tally'] = new Map();
	const notes: SendContext['notes'] = [];
	return {
		...{ context, limiter, ledger, app, tally, notes, itemCount, options, fingerprint },
		connection: { session, limiter },
		isTool: inTool,
		read: postReader(context, settings, parameter),
		check: async (post, { fileLinkValidity, checkMedia }, name) => {
			await checkFiles(context, settings, post, fileLinkValidity);
			if (checkMedia) await checkLinks(context, settings, post);
			return post.problems.length > 0 ? undefined : await storeFiles(context, post, name);
		},
		summary: (failures) =>
			summaryOf({
				...{ tally, notes, failures, itemCount, limiter },
				accepted: ledger.acceptedItems(),
				stops: stopsAtFailure(context),
				timezone: context.getTimezone(),
			}),
	};
}

/** Counts the posts that are to be sent. The ledger contains those that earlier attempts have sent. */
function countPosts(
	ledger: Ledger,
	fingerprint: Fingerprint,
	itemCount: number,
	resendUnknown: boolean,
): number {
	const isToBeSent = (itemIndex: number) => {
		const known = ledger.find(fingerprint(itemIndex, undefined));
		return !known || (known.state === 'unknown' && resendUnknown);
	};
	return [...Array(itemCount).keys()].filter(isToBeSent).length;
}

/**
 * The issue of a run with more posts than *Max Posts per Run* allows, or of a limit that cannot be
 * used.
 *
 * @param readFirst reads the options of the first item
 * @param count counts the posts that are to be sent
 */
export function limitIssue(
	context: IExecuteFunctions,
	readFirst: () => OptionsReading,
	count: (options: CreateOptions) => number,
): Issue | undefined {
	const { options: stored } = context.getNode().parameters;
	if (!('maxPostsPerRun' in Object(stored))) return undefined;
	const { options, problems } = readFirst();
	const { maxPostsPerRun: limit } = options;
	if (limit === undefined) return problems.find(({ field }) => field === LIMIT);
	const posts = count(options);
	const message = `is ${limit}, but ${posts} posts are to be sent`;
	return posts > limit ? { field: LIMIT, message } : undefined;
}

/** The issues of an item's options, without the limit, which only the first item sets. */
export function ownProblems({ problems }: OptionsReading): Issue[] {
	return problems.filter(({ field }) => field !== LIMIT);
}

/**
 * Publishes one post, at most once in an execution.
 *
 * @returns the action record of the platform and its `request_id`
 */
export async function execute(
	_: IExecuteFunctions,
	itemIndex: number,
	run: CreateRun,
): Promise<Outcome<object>> {
	return await sendPost(run, readPost(itemIndex, run));
}

/** Reads the post of an item. Its media are not read yet, because the post may not be sent at all. */
function readPost(itemIndex: number, run: CreateRun): Post {
	let options = defaultOptions;
	try {
		const own = run.options(itemIndex);
		options = own.options;
		const read = run.read(itemIndex);
		const { body, problems, account, contentType, publishAt, files, warnings } = read;
		problems.push(...ownProblems(own));
		const name = postName(itemIndex, run.itemCount, body);
		const advice = run.isTool ? '' : SEE_VALIDATE;
		const issues = () => (problems.length > 0 ? invalid(name, problems, advice) : undefined);
		const invalidFields = issues();
		const request = replaceFiles(body, (file) => file.identity);
		// Other issues may leave fields out of the request.
		const isComplete = problems.every(({ field }) => field === labels.post_date);
		const identity = run.fingerprint(itemIndex, isComplete ? request : undefined);
		const check = async () => {
			const failed = await run.check(read, options, name).catch(unexpected);
			return issues() ?? failed;
		};
		const post = { identity, name, body, account, contentType, files, options };
		return { ...post, publishAt, warnings, invalid: invalidFields, check };
	} catch (error) {
		const failed = unexpected(error);
		return {
			identity: run.fingerprint(itemIndex, undefined),
			name: nameOf('post', itemIndex, run.itemCount),
			body: {},
			files: [],
			options,
			invalid: failed,
			warnings: () => [],
			check: () => failed,
		};
	}
}
