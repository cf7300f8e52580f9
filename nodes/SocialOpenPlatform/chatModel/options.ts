import type { INodeProperties, ISupplyDataFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { CHAT_TIMEOUT_S, chatOptionFields, chatOptionsSchema } from '../parameters/chatOptions';
import { Issues } from '../parameters/issues';
import { boundedInteger } from '../parameters/requestLimits';
import { isNothing, toText } from '../parameters/values';
import { notText } from '../protocol/issue';
import { invalid } from '../transport/outcome';
import { modelError } from './error';

const DEFAULT_RETRIES = 2;

/** Fields of the request that *Other Fields (JSON)* must not contain. */
const ownFields = ['model', 'messages', 'tools', 'temperature', 'max_tokens', 'stream', 'stop'];

/** Labels of the fields in the panel, by parameter name. */
export const labels = {
	model: 'Model',
	options: 'Options',
	additionalBodyFields: 'Other Fields (JSON)',
	maxRetries: 'Max Retries',
	maxTokens: 'Max Tokens',
	temperature: 'Temperature',
	timeout: 'Timeout (Seconds)',
};

/** The parameters of the chat model in the panel. */
export const properties: INodeProperties[] = [
	{
		displayName: labels.model,
		name: 'model',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. chat-large',
		description:
			"Name of the model, as in the platform's documentation. The platform provides no list of models.",
	},
	{
		displayName: labels.options,
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		description:
			'How requests are sent. Options that you do not add keep their defaults; Max Tokens and Temperature are then not sent.',
		options: [
			{
				displayName: labels.maxRetries,
				name: 'maxRetries',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
				default: DEFAULT_RETRIES,
				description:
					'How often to send a request again after a rate limit, HTTP 5xx or a broken connection, 0 to 10. The platform may charge for each request.',
			},
			chatOptionFields.maxTokens,
			chatOptionFields.temperature,
			{
				displayName: labels.timeout,
				name: 'timeout',
				type: 'number',
				typeOptions: { minValue: 0.1, maxValue: 3600 },
				default: CHAT_TIMEOUT_S,
				description:
					'How long to wait for the response, including all retries, or for the next part of a streamed one, 0.1 to 3600',
			},
			chatOptionFields.additionalBodyFields,
		],
	},
];

export const optionsSchema = z.object({
	...chatOptionsSchema.shape,
	maxRetries: boundedInteger('retries', 0, 10).default(DEFAULT_RETRIES),
});

const modelSchema = z.object({ model: z.string({ error: ({ input }) => notText(input) }) });

/**
 * Reads the parameters of the chat model, with the names that n8n's SDK uses.
 *
 * @throws NodeOperationError with an issue for each field that cannot be used
 */
export function readModelParameters(context: ISupplyDataFunctions, itemIndex: number) {
	const issues = new Issues(labels);
	const name = toText(context.getNodeParameter('model', itemIndex, ''));
	const { model = '' } = issues.parse(modelSchema, { model: isNothing(name) ? undefined : name });
	const given = context.getNodeParameter('options', itemIndex, {}) as {
		additionalBodyFields?: unknown;
	};
	const { timeout, maxRetries, maxTokens, temperature } = issues.parseOptions(optionsSchema, given);
	const { additionalBodyFields: more } = { ...given };
	const additionalParams = issues.parseOtherFields('additionalBodyFields', more, ownFields);
	const { problems } = issues;
	if (problems.length > 0) throw modelError(context, itemIndex, invalid(undefined, problems));
	return {
		...{ model, maxRetries, maxTokens, temperature, additionalParams },
		timeout: Math.ceil(timeout * 1000),
	};
}
