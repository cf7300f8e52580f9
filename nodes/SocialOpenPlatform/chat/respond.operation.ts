import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { json } from './chatOptions';
import type { ParameterReader } from '../items/parameterReader';
import { text } from '../platform/issue';
import type { Outcome } from '../platform/outcome';
import { prepare, type PreparedChat } from './chatRequest';
import { beginChat, sendChat, type ChatRun } from './chatSend';

const showOnlyForRespond = { resource: ['chat'], operation: ['respond'] };

export const description: INodeProperties[] = [
	{
		displayName: 'Instructions',
		name: 'instructions',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. Answer in one sentence',
		displayOptions: { show: showOnlyForRespond },
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
		displayOptions: { show: showOnlyForRespond },
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
		displayOptions: { show: { ...showOnlyForRespond, specifyInput: ['text'] } },
		description: 'Question or task for the model. Empty text is refused.',
	},
	{
		displayName: 'Input (JSON)',
		name: 'inputJson',
		type: 'json',
		default: '[\n  { "role": "user", "content": "" }\n]',
		required: true,
		displayOptions: { show: { ...showOnlyForRespond, specifyInput: ['json'] } },
		description:
			"Input as a JSON list of items, such as messages with 'role' and 'content', with the latest item last. It is sent unchanged.",
	},
];

export const begin = beginChat;

/** @returns the text of the reply, its finish reason and its tokens */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	run: ChatRun,
): Promise<Outcome<object>> {
	return await sendChat(itemIndex, run, 'responses', prepareResponse(run.parameter, itemIndex));
}

const inputList = json(
	z
		.array(z.looseObject({}, 'is not an object'), 'is not a JSON list of input items')
		.min(1, 'is empty'),
);

/** Creates the body of `POST /v1/responses`. It never throws; issues are in the result. */
export function prepareResponse(parameter: ParameterReader, itemIndex: number): PreparedChat {
	const isJson = parameter('specifyInput', itemIndex, undefined) === 'json';
	return prepare(parameter, itemIndex, description, (field, options, format) => ({
		instructions: field('instructions', text.optional()),
		input: isJson ? field('inputJson', inputList) : field('input', text),
		text: format && { format },
		temperature: options.temperature,
		max_output_tokens: options.maxTokens,
	}));
}
