import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { parameterReader } from '../../parameters/parameterReader';
import type { Failed, Outcome } from '../../transport/outcome';
import { openSession } from '../../transport/session';
import { isTool } from '../agentTool';
import type { Run } from '../run';
import { postReader, type PreparedPost } from './request';

/** Validate shows the fields of a post and has no fields of its own. */
export const description: INodeProperties[] = [];

interface ValidateRun extends Run {
	read: (itemIndex: number) => PreparedPost;
}

export async function begin(context: IExecuteFunctions): Promise<ValidateRun | Failed> {
	const session = await openSession(context, 'the post');
	if ('failure' in session) return session;
	const parameter = parameterReader(context, isTool(context));
	return { concurrency: 1, read: postReader(context, session.settings, parameter) };
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
	const { body, problems, warnings } = run.read(itemIndex);
	const valid = problems.length === 0;
	return {
		kind: 'accepted',
		value: { valid, request_body: body, problems, warnings: warnings() },
	};
}
