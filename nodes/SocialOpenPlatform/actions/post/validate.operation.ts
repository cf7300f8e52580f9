import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { readPost } from './readPost';

/** Validate takes the fields of a post and none of its own. */
export const description: INodeProperties[] = [];

/**
 * The dry run: the same input as Create, nothing sent, no token asked for.
 *
 * @returns `valid`, the exact `request_body`, `problems` (would be refused) and `warnings`
 */
export async function execute(this: IExecuteFunctions, itemIndex: number): Promise<object> {
	const { body, problems, warnings } = await readPost.call(this, itemIndex);
	return { valid: problems.length === 0, request_body: body, problems, warnings };
}
