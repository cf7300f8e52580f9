import type { INodeProperties } from 'n8n-workflow';

/** The labels of the fields in the panel, by parameter name. */
export const labels = {
	model: 'Model',
	specifyMessages: 'Specify Messages',
	messages: 'Messages',
	messagesJson: 'Messages (JSON)',
	instructions: 'Instructions',
	specifyInput: 'Specify Input',
	input: 'Input',
	inputJson: 'Input (JSON)',
	options: 'Options',
	outputFormat: 'Output Format',
	jsonSchema: 'JSON Schema',
	schemaName: 'Schema Name',
	strictSchema: 'Strict Schema',
	additionalBodyFields: 'Other Fields (JSON)',
	allowIncomplete: 'Allow Incomplete Answers',
	fullResponse: 'Include Full Response',
	maxConcurrentRequests: 'Max Concurrent Requests',
	maxTokens: 'Max Tokens',
	minimumInterval: 'Minimum Interval (Seconds)',
	temperature: 'Temperature',
	timeout: 'Timeout (Seconds)',
	rateLimitWait: 'Wait for Rate Limits (Seconds)',
};

export type LabelledField = keyof typeof labels;

const showOnlyForChat = { show: { resource: ['chat'] } };
const showOnlyForSchemas = { show: { ...showOnlyForChat.show, outputFormat: ['json_schema'] } };

export const model: INodeProperties = {
	displayName: labels.model,
	name: 'model',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. chat-large',
	displayOptions: showOnlyForChat,
	description:
		"Name of the model, as in the platform's documentation. The platform provides no list of models.",
};

/** The format of the reply. */
export const formatFields: INodeProperties[] = [
	{
		displayName: labels.outputFormat,
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
		displayName: labels.jsonSchema,
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
		displayName: labels.schemaName,
		name: 'schemaName',
		type: 'string',
		default: 'answer',
		displayOptions: showOnlyForSchemas,
		description:
			'Name that tells the model what the JSON describes. Up to 64 letters, digits, - and _.',
	},
	{
		displayName: labels.strictSchema,
		name: 'strictSchema',
		type: 'boolean',
		default: false,
		displayOptions: showOnlyForSchemas,
		description:
			'Whether the platform must follow the schema exactly. Every object of the schema must then require all its fields and forbid others.',
	},
];
