import type { IBinaryKeyData, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { parameterReader } from '../../parameters/parameterReader';
import { replaceFiles } from '../../protocol/post';
import type { Failed, Outcome } from '../../transport/outcome';
import { openSession } from '../../transport/session';
import { isTool } from '../agentTool';
import type { Run } from '../run';
import { checkFiles } from './files';
import { checkLinks, previewsOf } from './links';
import { optionsReader, validateOptions } from './options';
import { postReader, type PreparedPost } from './request';

export const description: INodeProperties[] = [validateOptions];

interface ValidatedPost extends PreparedPost {
	previews?: IBinaryKeyData;
}

interface ValidateRun extends Run {
	read: (itemIndex: number) => Promise<ValidatedPost>;
}

export async function begin(context: IExecuteFunctions): Promise<ValidateRun | Failed> {
	const session = await openSession(context, 'the post');
	if ('failure' in session) return session;
	const parameter = parameterReader(context, isTool(context));
	const { settings } = session;
	const readOptions = optionsReader();
	const read = postReader(context, settings, parameter);
	return {
		concurrency: 1,
		read: async (itemIndex) => {
			const post = read(itemIndex);
			const { options, problems } = readOptions(parameter('options', itemIndex, {}));
			post.problems.push(...problems);
			await checkFiles(context, settings, post, options.fileLinkValidity);
			if (!options.checkMedia) return post;
			await checkLinks(context, settings, post);
			return { ...post, previews: await previewsOf(context, post) };
		},
	};
}

/**
 * Reads the same input as Create, but sends nothing and fetches no token.
 *
 * @returns `valid`, the exact `request_body`, `problems` (issues that prevent sending) and
 * `warnings`
 */
export async function execute(
	_: IExecuteFunctions,
	itemIndex: number,
	run: ValidateRun,
): Promise<Outcome<object>> {
	const { body, problems, warnings, previews } = await run.read(itemIndex);
	const valid = problems.length === 0;
	return {
		kind: 'accepted',
		value: {
			valid,
			request_body: replaceFiles(body, (file) => file.description),
			problems,
			warnings: warnings(),
		},
		binary: previews,
	};
}
