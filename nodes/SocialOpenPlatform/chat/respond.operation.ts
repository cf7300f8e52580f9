import { z } from 'zod/v4';
import { text } from '../items/values';
import { json } from './fields';
import type { ChatOperation } from './resource';

/** The operation Create Response, which sends `POST /v1/responses`. */
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
			displayName: 'Input',
			name: 'input',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. Write a caption for this article',
			description:
				"Question or task for the model. An expression can also return a list of items, such as messages with 'role' and 'content', which is sent unchanged.",
		},
	],
	schemas: (read) => ({
		instructions: text.optional(),
		input: Array.isArray(read('input')) ? json(inputList) : text,
	}),
	toBody: (fields, options, format) => ({
		instructions: fields.instructions,
		input: fields.input,
		text: format && { format },
		max_output_tokens: options.maxTokens,
	}),
};

const inputList = z.lazy(() => z.array(z.looseObject({}, 'is not an object')).min(1, 'is empty'));
