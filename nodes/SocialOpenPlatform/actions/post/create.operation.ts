import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
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

/**
 * Hands one post to the platform.
 *
 * @returns the action record as it came, with `request_id`; its status says how far the post is
 * @throws NodeOperationError with every problem of the item, before anything is sent
 * @throws NodeApiError when the platform refuses, cannot be reached or does not answer
 */
export async function execute(this: IExecuteFunctions, itemIndex: number): Promise<object> {
	const { body, problems } = await readPost.call(this, itemIndex);
	if (problems.length > 0) throw parameterError(this.getNode(), itemIndex, problems);
	const { fullEnvelope = false, timeout = DEFAULT_TIMEOUT_S } = this.getNodeParameter(
		'options',
		itemIndex,
		{},
	) as { fullEnvelope?: boolean; timeout?: number };
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
