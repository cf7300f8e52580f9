import type { INodeProperties, ISupplyDataFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import {
	CHAT_TIMEOUT_S,
	chatOptionFields,
	chatOptionsSchema,
	fieldReader,
	modelField,
} from './chatOptions';
import { Issues, labelsOf } from '../items/issues';
import { boundedInteger, timeoutField } from '../items/requestLimits';
import { text } from '../platform/issue';
import { invalid } from '../platform/outcome';

const DEFAULT_RETRIES = 2;

/** Fields of the request that *Other Fields (JSON)* must not contain. */
const ownFields = ['model', 'messages', 'tools', 'temperature', 'max_tokens', 'stream', 'stop'];

/** The parameters of the chat model in the panel. */
export const properties: INodeProperties[] = [
	modelField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		description:
			'How requests are sent. Options that you do not add keep their defaults; Max Tokens and Temperature are then not sent.',
		options: [
			{
				displayName: 'Max Retries',
				name: 'maxRetries',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
				default: DEFAULT_RETRIES,
				description:
					'How many times to resend a request after a rate limit, HTTP 5xx or a broken connection, 0 to 10. The platform may charge for each request.',
			},
			chatOptionFields.maxTokens,
			chatOptionFields.temperature,
			timeoutField(
				CHAT_TIMEOUT_S,
				'How long to wait for the response, including all retries, or for the next part of a streamed one, 0.1 to 3600',
			),
			chatOptionFields.additionalBodyFields,
		],
	},
];

export const optionsSchema = z.object({
	...chatOptionsSchema.shape,
	maxRetries: boundedInteger('a number of retries', 0, 10).default(DEFAULT_RETRIES),
});

/** Reads the parameters of the chat model, with the names that n8n's SDK uses. */
export function readModelParameters(context: ISupplyDataFunctions, itemIndex: number) {
	const issues = new Issues(labelsOf(properties));
	const read = (name: string) => context.getNodeParameter(name, itemIndex) as unknown;
	const model = fieldReader(issues, read)('model', text) ?? '';
	const options = issues.parseOptions(optionsSchema, read('options'));
	const { timeout, additionalBodyFields: more, ...others } = options;
	const additionalParams = issues.parseOtherFields('additionalBodyFields', more, ownFields);
	const { problems } = issues;
	if (problems.length > 0) return invalid(undefined, problems);
	return { ...others, model, additionalParams, timeout: Math.ceil(timeout * 1000) };
}
