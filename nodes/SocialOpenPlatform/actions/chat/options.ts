import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { CHAT_TIMEOUT_S, chatOptionFields, chatOptionsSchema } from '../../parameters/chatOptions';
import { requestLimitFields, requestLimitSchema } from '../../parameters/requestLimits';
import { labels } from './fields';

/** The options of both chat operations in the panel. */
export const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	description:
		'How requests are sent, and what is output. Options that you do not add keep their defaults; Max Tokens and Temperature are then not sent.',
	displayOptions: { show: { resource: ['chat'] } },
	options: [
		{
			displayName: labels.allowIncomplete,
			name: 'allowIncomplete',
			type: 'boolean',
			default: false,
			description:
				"Whether to output a refused, filtered, cut off, empty or wrongly formatted answer as an item with a 'note'. If this option is off, such an answer is an error, so that nothing incomplete is published.",
		},
		{
			displayName: labels.fullResponse,
			name: 'fullResponse',
			type: 'boolean',
			default: false,
			description: "Whether to add the platform's whole response to the output as 'response'",
		},
		requestLimitFields.maxConcurrentRequests,
		{
			...chatOptionFields.maxTokens,
			description:
				'Maximum length of the answer in tokens: 1,000 are about 750 English words. A longer answer is cut off, which is an error unless Allow Incomplete Answers is on; without this option, the platform decides.',
		},
		requestLimitFields.minimumInterval,
		chatOptionFields.temperature,
		{
			displayName: labels.timeout,
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 0.1, maxValue: 3600 },
			default: CHAT_TIMEOUT_S,
			description:
				'How long to wait for the complete response, 0.1 to 3600. If it does not arrive, the item fails; nothing was published, so it is safe to send the request again.',
		},
		requestLimitFields.rateLimitWait,
		chatOptionFields.additionalBodyFields,
	],
};

const flag = z.boolean('must be true or false');

export const optionsSchema = z.object({
	...requestLimitSchema.shape,
	...chatOptionsSchema.shape,
	allowIncomplete: flag.default(false),
	fullResponse: flag.default(false),
});
export type ChatOptions = z.infer<typeof optionsSchema>;
