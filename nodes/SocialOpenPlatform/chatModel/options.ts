import type { INodeProperties, ISupplyDataFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { CHAT_TIMEOUT_S, chatOptionFields, chatOptionsSchema } from '../parameters/chatOptions';
import { Issues } from '../parameters/issues';
import { boundedNumber } from '../parameters/pace';
import { isNothing, toText } from '../parameters/values';
import { notText } from '../protocol/issue';
import { invalid, toNodeError } from '../transport/outcome';

const DEFAULT_RATE_LIMIT_WAIT_S = 60;
const DEFAULT_RETRIES = 2;

/** Fields of the request that *Other Fields (JSON)* must not contain. */
const ownFields = ['model', 'messages', 'tools', 'temperature', 'max_tokens', 'stream', 'stop'];

/** The labels of the fields in the panel, by parameter name. */
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

/** The parameters of the chat model, as the panel shows them. */
export const properties: INodeProperties[] = [
	{
		displayName: labels.model,
		name: 'model',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. chat-large',
		description:
			"Which model answers. Write its name as the platform's documentation does; there is no list to choose from.",
	},
	{
		displayName: labels.options,
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		description:
			'How the model is asked. What you do not add keeps its default; Max Tokens and Temperature are then not sent.',
		options: [
			{
				displayName: labels.maxRetries,
				name: 'maxRetries',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
				default: DEFAULT_RETRIES,
				description:
					'How often to ask again when no usable answer came: the platform has trouble of its own, the connection broke, or time ran out. The platform may charge each time. 0 asks once.',
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
					'How long to wait for an answer, or for its next piece where it is streamed. After that it is asked for again, as often as Max Retries says, unless pieces have come already.',
			},
			{
				displayName: labels.rateLimitWait,
				name: 'rateLimitWait',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 86_400 },
				default: DEFAULT_RATE_LIMIT_WAIT_S,
				description:
					'How long to wait in all when the platform says that requests come too fast; then the agent gets an error. With 0 it gets one at once.',
			},
			chatOptionFields.additionalBodyFields,
		],
	},
];

/** Checks the options. */
export const optionsSchema = z.object({
	...chatOptionsSchema.shape,
	maxRetries: boundedNumber('retries', 0, 10).int('is not a whole number').default(DEFAULT_RETRIES),
	rateLimitWait: boundedNumber('seconds', 0, 86_400).default(DEFAULT_RATE_LIMIT_WAIT_S),
});
export type ModelOptions = z.infer<typeof optionsSchema>;

const modelSchema = z.object({ model: z.string({ error: ({ input }) => notText(input) }) });

export interface ModelParameters {
	model: string;
	/** Fields of each request, beside model, messages and tools. */
	body: Record<string, unknown>;
	options: ModelOptions;
}

/** @throws NodeOperationError with an issue for each field that cannot be used */
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
		const error = toNodeError(context.getNode(), itemIndex, invalid(itemIndex, issues.problems));
		// In a chat that streams, n8n shows only the description.
		const description = `${error.message}. Correct it in the node of the chat model; nothing was sent.`;
		throw Object.assign(error, { description, functionality: 'configuration-node' });
	}
	return { model, body: { temperature, max_tokens, ...more }, options };
}
