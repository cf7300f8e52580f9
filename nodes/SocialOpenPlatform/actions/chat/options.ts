import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { CHAT_TIMEOUT_S, chatOptionFields, chatOptionsSchema } from '../../parameters/chatOptions';
import { paceFields, paceSchema } from '../../parameters/pace';
import { labels } from './fields';

/** The options of both chat operations in the panel. */
export const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	description:
		'How the model is asked, and what comes out. What you do not add keeps its default; Max Tokens and Temperature are then not sent.',
	displayOptions: { show: { resource: ['chat'] } },
	options: [
		{
			displayName: labels.allowIncomplete,
			name: 'allowIncomplete',
			type: 'boolean',
			default: false,
			description:
				"Whether an answer that is refused, filtered, cut off, empty or not the JSON that was asked for goes on as an item with a 'note'. Without this option it is an error, so that nothing half is published.",
		},
		{
			displayName: labels.fullResponse,
			name: 'fullResponse',
			type: 'boolean',
			default: false,
			description: "Whether to add 'response', the platform's whole answer, to the output",
		},
		paceFields.maxConcurrentRequests,
		{
			...chatOptionFields.maxTokens,
			description:
				'Where the answer is cut off, in tokens: 1,000 are about 750 English words. A cut-off answer is an error unless Allow Incomplete Answers is on. Without this option the platform decides.',
		},
		paceFields.minimumInterval,
		chatOptionFields.temperature,
		{
			displayName: labels.timeout,
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 0.1, maxValue: 3600 },
			default: CHAT_TIMEOUT_S,
			description:
				'How long to wait for the whole answer, 0.1 to 3600. When it does not come, the item ends in an error; nothing was published, so asking again is safe.',
		},
		paceFields.rateLimitWait,
		chatOptionFields.additionalBodyFields,
	],
};

const flag = z.boolean('is neither true nor false');

/** Checks the options. */
export const optionsSchema = z.object({
	...paceSchema.shape,
	...chatOptionsSchema.shape,
	allowIncomplete: flag.default(false),
	fullResponse: flag.default(false),
});
export type ChatOptions = z.infer<typeof optionsSchema>;
