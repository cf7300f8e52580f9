import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import type { ParameterReader } from '../items/parameters';
import { text } from '../items/values';
import { json } from './fields';
import { chatOperation, prepareChat } from './request';

export const description: INodeProperties[] = [
	{
		displayName: 'Instructions',
		name: 'instructions',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. Answer in one sentence',
		description:
			'How the model should behave, such as its tone and language; leave empty to send no instructions',
	},
	{
		displayName: 'Specify Input',
		name: 'specifyInput',
		type: 'options',
		noDataExpression: true,
		default: 'text',
		options: [
			{ name: 'As Text', value: 'text', description: 'A single question or task' },
			{
				name: 'Using JSON',
				value: 'json',
				description:
					'A JSON list, for example from an earlier node, or input that contains more than text',
			},
		],
		description: 'Whether to enter the input as text or as a JSON list',
	},
	{
		displayName: 'Input',
		name: 'input',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. Write a caption for this article',
		displayOptions: { show: { specifyInput: ['text'] } },
		description: 'Question or task for the model. Empty text is refused.',
	},
	{
		displayName: 'Input (JSON)',
		name: 'inputJson',
		type: 'json',
		default: '[\n  { "role": "user", "content": "" }\n]',
		required: true,
		displayOptions: { show: { specifyInput: ['json'] } },
		description:
			"Input as a JSON list of items, such as messages with 'role' and 'content', with the latest item last. It is sent unchanged.",
	},
];

export const operation = chatOperation('responses', prepareResponse);

const inputList = z.lazy(() =>
	json(
		z
			.array(z.looseObject({}, 'is not an object'), 'is not a JSON list of input items')
			.min(1, 'is empty'),
	),
);

export function prepareResponse(parameter: ParameterReader, itemIndex: number) {
	const isJson = parameter('specifyInput', itemIndex, undefined) === 'json';
	const schemas = {
		instructions: text.optional(),
		...(isJson ? { inputJson: inputList } : { input: text }),
	};
	return prepareChat(parameter, itemIndex, description, schemas, (fields, options, format) => ({
		instructions: fields.instructions,
		input: fields.input ?? fields.inputJson,
		text: format && { format },
		temperature: options.temperature,
		max_output_tokens: options.maxTokens,
	}));
}
