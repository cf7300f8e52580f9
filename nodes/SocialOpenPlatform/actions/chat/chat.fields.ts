import type { INodeProperties } from 'n8n-workflow';
import { labels } from './chat.labels';

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
	description: "Which model answers, by its name in the platform's documentation",
};

/** In which form the answer is wanted. */
export const formatFields: INodeProperties[] = [
	{
		displayName: labels.outputFormat,
		name: 'outputFormat',
		type: 'options',
		default: 'text',
		options: [
			{ name: 'Text', value: 'text' },
			{
				name: 'JSON Object',
				value: 'json_object',
				description: 'Any JSON object. The messages have to ask for JSON too.',
			},
			{
				name: 'JSON Schema',
				value: 'json_schema',
				description: 'A JSON object with the fields that a schema describes',
			},
		],
		displayOptions: showOnlyForChat,
		description: 'What the answer is. JSON comes out parsed, beside the text.',
	},
	{
		displayName: labels.jsonSchema,
		name: 'jsonSchema',
		type: 'json',
		default:
			'{\n  "type": "object",\n  "properties": {\n    "caption": { "type": "string" }\n  },\n  "required": ["caption"],\n  "additionalProperties": false\n}',
		required: true,
		displayOptions: showOnlyForSchemas,
		description: 'Describes the answer, as a JSON Schema',
	},
	{
		displayName: labels.schemaName,
		name: 'schemaName',
		type: 'string',
		default: 'answer',
		displayOptions: showOnlyForSchemas,
		description: 'Tells the model what the JSON is. Letters, digits, - and _ only.',
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
