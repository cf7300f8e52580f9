import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { parameterError } from '../../parameters/parameterError';
import { optionLabels, options } from './create.options';
import { postOnce } from './postOnce';
import { beginPosts, type PostRun } from './postRun';

export const description: INodeProperties[] = [options];

export { beginPosts as begin };

const SEE = 'The operation Validate shows the exact request without sending it.';

/**
 * Hands one post to the platform, at most once in an execution.
 *
 * @returns the action record as it came, with `request_id`; its status says how far the post is
 * @throws NodeOperationError with every problem of the item, before anything is sent
 * @throws NodeApiError when the platform refuses, cannot be reached or does not answer
 */
export async function execute(
	this: IExecuteFunctions,
	itemIndex: number,
	run: PostRun,
): Promise<object> {
	const { body, problems } = run.read(itemIndex);
	const own = run.options(itemIndex);
	if (problems.length > 0 || !own.success) {
		const more = own.error?.issues.map(({ path, message }) => ({
			field: optionLabels.get(String(path[0])) ?? 'Options',
			message,
		}));
		throw parameterError(this.getNode(), itemIndex, [...problems, ...(more ?? [])], SEE);
	}
	const identity = run.fingerprint(itemIndex, body);
	return await postOnce.call(this, run, { identity, body, options: own.data });
}
