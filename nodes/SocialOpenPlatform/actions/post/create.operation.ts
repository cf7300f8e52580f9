import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { postResultSchema } from '../../protocol/post';
import { request } from '../../transport/request';
import { parameterError } from '../parameterError';
import { readPost } from './readPost';

const showOnlyForCreate = { show: { resource: ['post'], operation: ['create'] } };

const DEFAULT_TIMEOUT_S = 60;

export const description: INodeProperties[] = [
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: showOnlyForCreate,
		options: [
			{
				displayName: 'Include Full Response',
				name: 'fullEnvelope',
				type: 'boolean',
				default: false,
				description:
					"Whether to output the platform's whole answer (requestId, success, message, code, data) instead of the action record",
			},
			{
				displayName: 'Timeout',
				name: 'timeout',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_TIMEOUT_S,
				description:
					'Seconds to wait for the answer. When it does not come, it is unknown whether the post was accepted.',
			},
		],
	},
];

const optionLabels: Record<string, string> = {
	fullEnvelope: 'Include Full Response',
	timeout: 'Timeout',
};

const optionsSchema = z.object({
	fullEnvelope: z.boolean('is neither true nor false').default(false),
	timeout: z
		.number('is not a number of seconds')
		.positive('is not above 0')
		.default(DEFAULT_TIMEOUT_S),
});

/**
 * Hands one post to the platform.
 *
 * @returns the action record as it came, with `request_id`; its status says how far the post is
 * @throws NodeOperationError with every problem of the item, before anything is sent
 * @throws NodeApiError when the platform refuses, cannot be reached or does not answer
 */
export async function execute(this: IExecuteFunctions, itemIndex: number): Promise<object> {
	const { body, problems } = await readPost.call(this, itemIndex);
	const options = optionsSchema.safeParse(this.getNodeParameter('options', itemIndex, {}));
	if (problems.length > 0 || !options.success) {
		const more = options.error?.issues.map(({ path, message }) => ({
			field: optionLabels[String(path[0])] ?? 'Options',
			message,
		}));
		throw parameterError(this.getNode(), itemIndex, [...problems, ...(more ?? [])]);
	}
	const { fullEnvelope, timeout } = options.data;
	const { envelope, data } = await request.call(this, itemIndex, {
		operation: 'createPost',
		body,
		data: postResultSchema,
		timeout: timeout * 1000,
		what: 'the post',
		lookUp: `Look on the platform whether account ${String(body.social_account_id)} has it.`,
	});
	return fullEnvelope ? envelope : { request_id: envelope.requestId, ...data };
}
