import { z } from 'zod/v4';
import { text } from '../items/values';
import { json } from './fields';
import type { ChatOperation } from './request';

/** Creates the requests to `POST /v1/responses`. */
export const createResponse: ChatOperation = {
	operation: 'responses',
	fields: [
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
	],
	schemas: (read) => ({
		instructions: text.optional(),
		...(read('specifyInput') === 'json' ? { inputJson: json(inputList) } : { input: text }),
	}),
	toBody: (fields, options, format) => ({
		instructions: fields.instructions,
		input: fields.input ?? fields.inputJson,
		text: format && { format },
		temperature: options.temperature,
		max_output_tokens: options.maxTokens,
	}),
};

const inputList = z.lazy(() =>
	z
		.array(z.looseObject({}, 'is not an object'), 'is not a JSON list of input items')
		.min(1, 'is empty'),
);
