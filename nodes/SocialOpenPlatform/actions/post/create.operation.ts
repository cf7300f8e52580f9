import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { postResultSchema } from '../../protocol/post';
import { request } from '../../transport/request';
import { parameterError } from '../parameterError';
import { optionLabels, options, optionsSchema } from './create.options';
import { readPost } from './readPost';

export { summarize } from './create.summary';

export const description: INodeProperties[] = [options];

/**
 * Hands one post to the platform.
 *
 * @returns the action record as it came, with `request_id`; its status says how far the post is
 * @throws NodeOperationError with every problem of the item, before anything is sent
 * @throws NodeApiError when the platform refuses, cannot be reached or does not answer
 */
export async function execute(this: IExecuteFunctions, itemIndex: number): Promise<object> {
	const { body, problems } = await readPost.call(this, itemIndex);
	const own = optionsSchema.safeParse(this.getNodeParameter('options', itemIndex, {}));
	if (problems.length > 0 || !own.success) {
		const more = own.error?.issues.map(({ path, message }) => ({
			field: optionLabels.get(String(path[0])) ?? 'Options',
			message,
		}));
		throw parameterError(this.getNode(), itemIndex, [...problems, ...(more ?? [])]);
	}
	const { fullEnvelope, timeout } = own.data;
	const { envelope, data } = await request.call(this, itemIndex, {
		operation: 'createPost',
		body,
		data: postResultSchema,
		timeout: Math.ceil(timeout * 1000),
		what: 'the post',
		lookUp: `Look on the platform whether account ${String(body.social_account_id)} has it.`,
	});
	return fullEnvelope ? envelope : { request_id: envelope.requestId, ...data };
}
