import type { INodeProperties, ISupplyDataFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { CHAT_TIMEOUT_S, chatOptionFields, chatOptionsSchema } from '../parameters/chatOptions';
import { Issues } from '../parameters/issues';
import { boundedInteger, boundedNumber } from '../parameters/requestLimits';
import { isNothing, toText } from '../parameters/values';
import { notText } from '../protocol/issue';
import { invalid, toNodeError, withDescription } from '../transport/outcome';

const DEFAULT_RATE_LIMIT_WAIT_S = 60;
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
	rateLimitWait: 'Wait for Rate Limits (Seconds)',
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
					'How often to send a request again after HTTP 5xx, a broken connection or a timeout, 0 to 10. The platform may charge for each request.',
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
					'How long to wait for the response, or for the next part of a streamed one, 0.1 to 3600. The request is then sent again, up to Max Retries times, unless a part has already arrived.',
			},
			{
				displayName: labels.rateLimitWait,
				name: 'rateLimitWait',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 86_400 },
				default: DEFAULT_RATE_LIMIT_WAIT_S,
				description:
					'Maximum total wait after rate limits, 0 to 86,400. The agent then gets an error; with 0, it gets the error immediately.',
			},
			chatOptionFields.additionalBodyFields,
		],
	},
];

export const optionsSchema = z.object({
	...chatOptionsSchema.shape,
	maxRetries: boundedInteger('retries', 0, 10).default(DEFAULT_RETRIES),
	rateLimitWait: boundedNumber('seconds', 0, 86_400).default(DEFAULT_RATE_LIMIT_WAIT_S),
});
export type ModelOptions = z.infer<typeof optionsSchema>;

const modelSchema = z.object({ model: z.string({ error: ({ input }) => notText(input) }) });

interface ModelParameters {
	model: string;
	/** Request fields that are the same in each request, except model, messages and tools. */
	body: Record<string, unknown>;
	options: ModelOptions;
}

/**
 * Reads the options of the chat model.
 *
 * @throws NodeOperationError with an issue for each field that cannot be used
 */
export function readModelParameters(
	context: ISupplyDataFunctions,
	itemIndex: number,
): ModelParameters {
	const issues = new Issues(labels);
	const name = toText(context.getNodeParameter('model', itemIndex, ''));
	const { model = '' } = issues.parse(modelSchema, { model: isNothing(name) ? undefined : name });
	const given = context.getNodeParameter('options', itemIndex, {}) as Partial<ModelOptions> | null;
	const options = issues.parseOptions(optionsSchema, given);
	const { additionalBodyFields } = { ...given };
	const { temperature, maxTokens: max_tokens } = options;
	const more = issues.parseOtherFields('additionalBodyFields', additionalBodyFields, ownFields);
	if (issues.problems.length > 0) {
		const error = toNodeError(context.getNode(), itemIndex, invalid(undefined, issues.problems));
		// For a chat that streams, n8n shows only the description of an error.
		const description = `${error.message}. Nothing was sent. Correct it in the chat model node.`;
		throw Object.assign(withDescription(error, description), {
			functionality: 'configuration-node',
		});
	}
	return { model, body: { temperature, max_tokens, ...more }, options };
}
