import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { parameterError } from '../../parameters/parameterError';
import { defaultOptions, options } from './create.options';
import { postOnce, type Post } from './postOnce';
import { beginPosts, type PostRun } from './postRun';

export const description: INodeProperties[] = [options];

export { beginPosts as begin };

/**
 * Hands one post to the platform, at most once in an execution. The ledger and the key are asked
 * before the item's fields are checked: what was accepted stays accepted, even if the same item would
 * be refused now.
 *
 * @returns the action record as it came, with `request_id`; its status says how far the post is
 * @throws NodeOperationError with every issue of the item, before anything is sent
 * @throws NodeApiError when the platform refuses, cannot be reached or does not answer
 */
export async function execute(
	this: IExecuteFunctions,
	itemIndex: number,
	run: PostRun,
): Promise<object> {
	return await postOnce.call(this, run, readPost.call(this, itemIndex, run));
}

/** Reads an item. It throws nothing: whatever is wrong is in `invalid`. */
function readPost(this: IExecuteFunctions, itemIndex: number, run: PostRun): Post {
	let options = defaultOptions;
	try {
		const own = run.options(itemIndex);
		options = own.options;
		const { body, problems, publishAt } = run.read(itemIndex);
		const all = [...problems, ...own.problems];
		if (all.length === 0) {
			const identity = run.fingerprint(itemIndex, body);
			return { identity, body, options, publishAt };
		}
		const identity = run.fingerprint(itemIndex, undefined);
		const invalid = parameterError(this.getNode(), itemIndex, all, SEE_VALIDATE);
		return { identity, body, options, invalid };
	} catch (error) {
		const identity = run.fingerprint(itemIndex, undefined);
		return { identity, body: {}, options, invalid: error as Error };
	}
}

const SEE_VALIDATE = 'The operation Validate shows the exact request without sending it.';
