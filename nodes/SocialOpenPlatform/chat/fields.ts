import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { rateLimitWaitField, requestLimitSchema, timeoutField } from '../items/parameters';
import { boundedInteger, boundedNumber, flag, once, readJson } from '../items/values';

/** A model may need minutes before it responds. */
const DEFAULT_CHAT_TIMEOUT_S = 300;
const DEFAULT_RETRIES = 2;

export const modelField: INodeProperties = {
	displayName: 'Model',
	name: 'model',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. chat-large',
	description:
		"Name of the model, as in the platform's documentation. The platform provides no list of models.",
};

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
		description:
			"Format of the model's answer. JSON is output both parsed and as text, and an answer that is not JSON is an error.",
	},
	...updateDisplayOptions({ show: { outputFormat: ['json_schema'] } }, [
		{
			displayName: 'JSON Schema',
			name: 'jsonSchema',
			type: 'json',
			default:
				'{\n  "type": "object",\n  "properties": {\n    "caption": { "type": "string" }\n  },\n  "required": ["caption"],\n  "additionalProperties": false\n}',
			required: true,
			description:
				'JSON Schema that describes the fields of the answer. It is sent to the platform, and an answer of another type or without a required field at its top level is an error.',
		},
		{
			displayName: 'Strict Schema',
			name: 'strictSchema',
			type: 'boolean',
			default: false,
			description:
				'Whether the platform must follow the schema exactly. Every object of the schema must then require all its fields and forbid others.',
		},
	]),
];

const otherFieldsField: INodeProperties = {
	displayName: 'Other Fields (JSON)',
	name: 'additionalBodyFields',
	type: 'json',
	default: '{}',
	description:
		'Additional request fields as a JSON object such as {"top_p": 0.9}. They are sent unchanged; fields that the node has are refused.',
};

const maxTokensField: INodeProperties = {
	displayName: 'Max Tokens',
	name: 'maxTokens',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 1000,
	description:
		'Maximum length of the answer in tokens: 1,000 tokens are about 750 English words. A longer answer is cut off; without this option, the platform decides.',
};

const temperatureField: INodeProperties = {
	displayName: 'Temperature',
	name: 'temperature',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
	default: 0.7,
	description:
		'How much the answers vary, from 0 (nearly the same each time) to 2 (most varied). Without this option, the platform decides.',
};

export const chatOptions: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	description:
		'How requests are sent. Options that you do not add keep their defaults; Max Tokens and Temperature are then not sent.',
	options: [
		{
			displayName: 'Allow Incomplete Answers',
			name: 'allowIncomplete',
			type: 'boolean',
			default: false,
			description:
				"Whether to output a refused, filtered, cut-off, empty or wrongly formatted answer as an item with a 'note'. If this option is off, such an answer is an error, so that nothing incomplete is published.",
		},
		maxTokensField,
		temperatureField,
		timeoutField(
			DEFAULT_CHAT_TIMEOUT_S,
			'How long to wait for the complete response, 0.1 to 3600. If it does not arrive, the item fails; nothing was published, so it is safe to send the request again.',
		),
		rateLimitWaitField,
		otherFieldsField,
	],
};

export const modelProperties: INodeProperties[] = [
	modelField,
	{
		...chatOptions,
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
			maxTokensField,
			temperatureField,
			timeoutField(
				DEFAULT_CHAT_TIMEOUT_S,
				'How long to wait for the response, including all retries, or for the next part of a streamed one, 0.1 to 3600',
			),
			otherFieldsField,
		],
	},
];

/** Creates the schema of a value that may be a JSON string. */
export const json = (schema: z.ZodType) =>
	z.preprocess((given, context) => {
		const read = readJson(given);
		if ('value' in read) return read.value;
		context.addIssue(read.issue);
		return z.NEVER;
	}, schema);

/** Returns the schemas of the fields that are shown for an output format. */
export const formatSchemas = (format: unknown): z.ZodRawShape => ({
	outputFormat: z.enum(
		['text', 'json_object', 'json_schema'],
		"must be one of 'text', 'json_object', 'json_schema'",
	),
	...(format === 'json_schema' && {
		jsonSchema: json(z.looseObject({}, 'is not a JSON object')),
		strictSchema: flag,
	}),
});

/**
 * Returns the schema of all chat options. The chat operations and the chat model each have only
 * some of them.
 */
export const chatOptionsSchema = once(() =>
	z.object({
		additionalBodyFields: z.unknown(),
		allowIncomplete: flag.default(false),
		maxRetries: boundedInteger('a number of retries', 0, 10).default(DEFAULT_RETRIES),
		maxTokens: boundedInteger('a number of tokens', 1, Infinity).optional(),
		rateLimitWait: requestLimitSchema().shape.rateLimitWait,
		temperature: boundedNumber('a number', 0, 2).optional(),
		timeout: boundedNumber('a number of seconds', 0.1, 3600).default(DEFAULT_CHAT_TIMEOUT_S),
	}),
);
