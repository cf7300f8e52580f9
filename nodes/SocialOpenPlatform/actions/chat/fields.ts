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
		"Which model answers. Write its name as the platform's documentation does; there is no list to choose from.",
};

/** The format of the reply. */
export const formatFields: INodeProperties[] = [
	{
		displayName: labels.outputFormat,
		name: 'outputFormat',
		type: 'options',
		default: 'text',
		options: [
			{ name: 'Text', value: 'text', description: 'Plain words, as the model writes them' },
			{
				name: 'JSON Object',
				value: 'json_object',
				description: 'Any JSON object. The messages or the input have to ask for JSON too.',
			},
			{
				name: 'JSON Schema',
				value: 'json_schema',
				description: 'A JSON object with the fields that you describe below',
			},
		],
		displayOptions: showOnlyForChat,
		description:
			'What the model is to answer. JSON comes out parsed, ready for later nodes, beside the text. An answer that is no JSON is an error.',
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
			'Fields that the answer is to have, as a JSON Schema. It is sent to the platform; this node does not compare the answer with it.',
	},
	{
		displayName: labels.schemaName,
		name: 'schemaName',
		type: 'string',
		default: 'answer',
		displayOptions: showOnlyForSchemas,
		description: 'Tells the model what the JSON is. Letters, digits, - and _ only, up to 64.',
	},
	{
		displayName: labels.strictSchema,
		name: 'strictSchema',
		type: 'boolean',
		default: false,
		displayOptions: showOnlyForSchemas,
		description:
			'Whether the platform must keep to the schema exactly. Every object of the schema then has to require all its fields and to forbid others.',
	},
];
