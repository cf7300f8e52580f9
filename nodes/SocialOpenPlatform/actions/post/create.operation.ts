import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { parameterReader } from '../../parameters/parameterReader';
import { replaceFiles } from '../../protocol/post';
import { invalid, unexpected, type Failed, type Outcome } from '../../transport/outcome';
import { openSession } from '../../transport/session';
import { isTool } from '../agentTool';
import { Ledger } from '../ledger';
import { createLimiter, type Run } from '../run';
import { digestOf, fingerprinter, type Fingerprint } from './identity';
import { checkFiles, storeFiles } from './files';
import { checkLinks } from './links';
import {
	defaultOptions,
	options,
	optionsReader,
	type CreateOptions,
	type OptionsReading,
} from './options';
import { postReader, type PreparedPost } from './request';
import { sendPost, type Post, type SendContext } from './send';
import { summaryOf } from './summary';

export const description: INodeProperties[] = [options];

/** What the posts of one run share. */
interface CreateRun extends Run, SendContext {
	limiter: SendContext['limiter'];
	read: (itemIndex: number) => PreparedPost | Failed;
	/** Checks the media of a post, and prepares its files for links. */
	check: (post: PreparedPost, options: CreateOptions) => Promise<Failed | undefined>;
	options: (itemIndex: number) => OptionsReading;
	fingerprint: Fingerprint;
}

const SEE_VALIDATE = 'To see the exact request without sending it, use the operation Validate.';

/**
 * Reads what the posts of a run share. If the credential cannot be used, the run ends only if
 * nothing was sent before. Otherwise, each item reports the recorded outcome of its post.
 */
export async function begin(context: IExecuteFunctions): Promise<CreateRun | Failed> {
	const session = await openSession(context, 'the post');
	const inTool = isTool(context);
	const ledger = new Ledger(context.getContext('node'), {
		runIndex: context.getWorkflowDataProxy(0).$runIndex as number,
		isTool: inTool,
		executionId: context.getExecutionId(),
		app: 'failure' in session ? undefined : digestOf(session.settings.appId),
	});
	if ('failure' in session && ledger.isEmpty) return session;
	const { limiter, concurrency } = createLimiter(context);
	const parameter = parameterReader(context, inTool);
	const readOptions = optionsReader();
	const tally: SendContext['tally'] = new Map();
	const items = context.getInputData().length;
	return {
		concurrency,
		limiter,
		connection: 'failure' in session ? undefined : { session, limiter },
		ledger,
		tally,
		isTool: inTool,
		read:
			'failure' in session
				? () => notSentWithout(session)
				: postReader(context, session.settings, parameter),
		check: async (post, { fileLinkValidity, checkMedia }) => {
			if ('failure' in session) return undefined;
			await checkFiles(context, session.settings, post, fileLinkValidity);
			if (checkMedia) await checkLinks(context, session.settings, post);
			return post.problems.length > 0 ? undefined : await storeFiles(context, post);
		},
		options: (itemIndex) => readOptions(parameter('options', itemIndex, {})),
		fingerprint: fingerprinter(context, inTool),
		summary: (failures) =>
			summaryOf({ tally, failures, items, accepted: ledger.acceptedItems(), limiter }),
	};
}

/** Without a session, nothing is sent. Each item then gets an error of its own. */
function notSentWithout({ failure }: Failed): Failed {
	const { message, description, facts } = failure;
	return { kind: 'not_sent', failure: { message, description, facts } };
}

/**
 * Publishes one post, at most once in an execution.
 *
 * @returns the action record of the platform and its `request_id`
 */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	run: CreateRun,
): Promise<Outcome<object>> {
	return await sendPost(context, run, readPost(itemIndex, run));
}

/** Reads the post of an item. Its media are not read yet, because the post may not be sent at all. */
function readPost(itemIndex: number, run: CreateRun): Post {
	let options = defaultOptions;
	const unusable = (invalid: Failed): Post => {
		const identity = run.fingerprint(itemIndex, undefined);
		return { identity, body: {}, files: [], options, invalid, check: () => invalid };
	};
	try {
		const own = run.options(itemIndex);
		options = own.options;
		const read = run.read(itemIndex);
		if ('failure' in read) return unusable(read);
		const { body, problems, publishAt, files } = read;
		problems.push(...own.problems);
		const issues = () =>
			problems.length > 0 ? invalid(itemIndex, problems, SEE_VALIDATE) : undefined;
		const invalidFields = issues();
		const request = replaceFiles(body, (file) => file.identity);
		const identity = run.fingerprint(itemIndex, invalidFields ? undefined : request);
		const check = async () => {
			const failed = await run.check(read, options).catch(unexpected);
			return issues() ?? failed;
		};
		return { identity, body, files, options, publishAt, invalid: invalidFields, check };
	} catch (error) {
		return unusable(unexpected(error));
	}
}
