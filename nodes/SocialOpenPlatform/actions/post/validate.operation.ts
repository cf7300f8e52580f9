import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { openSession } from '../../transport/session';
import type { Run } from '../operation';
import { isTool } from '../isTool';
import { parameterReader } from '../../parameters/parameterReader';
import { postReading, type PostReading } from './readPost';

/** Validate takes the fields of a post and none of its own. */
export const description: INodeProperties[] = [];

interface ValidateRun extends Run {
	read: PostReading;
}

/** @throws NodeApiError when the credential cannot be used */
export async function begin(this: IExecuteFunctions): Promise<ValidateRun> {
	const { settings } = await openSession.call(this, 'the post');
	const parameter = parameterReader.call(this, isTool.call(this));
	return { width: 1, read: postReading.call(this, settings, parameter) };
}

/**
 * The dry run: the same input as Create, nothing sent, no token asked for.
 *
 * @returns `valid`, the exact `request_body`, `problems` (would be refused) and `warnings`
 */
export async function execute(
	this: IExecuteFunctions,
	itemIndex: number,
	run: ValidateRun,
): Promise<object> {
	const { body, problems, warnings } = run.read(itemIndex);
	return { valid: problems.length === 0, request_body: body, problems, warnings: warnings() };
}
