import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { CHAT_TIMEOUT_S, chatOptionFields, chatOptionsSchema } from './chatOptions';
import { requestLimitFields, requestLimitSchema, timeoutField } from '../items/requestLimits';
import { flag } from '../platform/issue';

export const showOnlyForChat = { show: { resource: ['chat'] } };
const showOnlyForSchemas = { show: { ...showOnlyForChat.show, outputFormat: ['json_schema'] } };

/** The format of the reply. */
export const formatFields: INodeProperties[] = [
	{
		displayName: 'Output Format',
		name: 'outputFormat',
		type: 'options',
		default: 'text',
		options: [
			{ name: 'Text', value: 'text', description: 'Plain text, as the model writes it' },
			{
				name: 'JSON Object',
				value: 'json_object',
				description: 'Any JSON object. The messages or the input must also ask for JSON.',
			},
			{
				name: 'JSON Schema',
				value: 'json_schema',
				description: 'A JSON object with the fields that the schema below describes',
			},
		],
		displayOptions: showOnlyForChat,
		description:
			"Format of the model's answer. JSON is output both parsed and as text, and an answer that is not JSON is an error.",
	},
	{
		displayName: 'JSON Schema',
		name: 'jsonSchema',
		type: 'json',
		default:
			'{\n  "type": "object",\n  "properties": {\n    "caption": { "type": "string" }\n  },\n  "required": ["caption"],\n  "additionalProperties": false\n}',
		required: true,
		displayOptions: showOnlyForSchemas,
		description:
			'JSON Schema that describes the fields of the answer. It is sent to the platform, and an answer that does not match its types, required fields or fixed values is an error.',
	},
	{
		displayName: 'Schema Name',
		name: 'schemaName',
		type: 'string',
		default: 'answer',
		displayOptions: showOnlyForSchemas,
		description:
			'Name that tells the model what the JSON describes. Up to 64 letters, digits, - and _.',
	},
	{
		displayName: 'Strict Schema',
		name: 'strictSchema',
		type: 'boolean',
		default: false,
		displayOptions: showOnlyForSchemas,
		description:
			'Whether the platform must follow the schema exactly. Every object of the schema must then require all its fields and forbid others.',
	},
];

/** The options of both chat operations in the panel. */
export const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	description:
		'How requests are sent, and what is output. Options that you do not add keep their defaults; Max Tokens and Temperature are then not sent.',
	displayOptions: showOnlyForChat,
	options: [
		{
			displayName: 'Allow Incomplete Answers',
			name: 'allowIncomplete',
			type: 'boolean',
			default: false,
			description:
				"Whether to output a refused, filtered, cut-off, empty or wrongly formatted answer as an item with a 'note'. If this option is off, such an answer is an error, so that nothing incomplete is published.",
		},
		{
			displayName: 'Include Full Response',
			name: 'fullResponse',
			type: 'boolean',
			default: false,
			description: "Whether to add the platform's whole response to the output as 'response'",
		},
		requestLimitFields.maxConcurrentRequests,
		{
			...chatOptionFields.maxTokens,
			description:
				'Maximum length of the answer in tokens: 1,000 tokens are about 750 English words. A longer answer is cut off, which is an error unless Allow Incomplete Answers is on; without this option, the platform decides.',
		},
		requestLimitFields.minimumInterval,
		chatOptionFields.temperature,
		timeoutField(
			CHAT_TIMEOUT_S,
			'How long to wait for the complete response, 0.1 to 3600. If it does not arrive, the item fails; nothing was published, so it is safe to send the request again.',
		),
		requestLimitFields.rateLimitWait,
		chatOptionFields.additionalBodyFields,
	],
};

export const optionsSchema = z.object({
	...requestLimitSchema.shape,
	...chatOptionsSchema.shape,
	allowIncomplete: flag.default(false),
	fullResponse: flag.default(false),
});
export type ChatOptions = z.infer<typeof optionsSchema>;
