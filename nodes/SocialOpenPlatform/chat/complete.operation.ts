import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import type { ParameterReader } from '../items/parameters';
import { isNothing, isObject, toText } from '../items/values';
import { json } from './fields';
import { chatOperation, prepareChat } from './request';
import type { ChatJson } from './reply';

export const description: INodeProperties[] = [
	{
		displayName: 'Specify Messages',
		name: 'specifyMessages',
		type: 'options',
		noDataExpression: true,
		default: 'fields',
		options: [
			{
				name: 'Using Fields Below',
				value: 'fields',
				description: 'One row per message, with its role and its text',
			},
			{
				name: 'Using JSON',
				value: 'json',
				description:
					'A JSON list, for example from an earlier node, or messages that contain more than text',
			},
		],
		description: 'Whether to enter the messages one by one, or all of them as JSON',
	},
	{
		displayName: 'Messages',
		name: 'messages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		default: { message: [{ role: 'user', content: '' }] },
		placeholder: 'Add Message',
		displayOptions: { show: { specifyMessages: ['fields'] } },
		description:
			'Conversation so far, with the latest message last. Each item is a separate conversation, and the model knows nothing else.',
		options: [
			{
				displayName: 'Message',
				name: 'message',
				values: [
					{
						displayName: 'Role',
						name: 'role',
						type: 'options',
						default: 'user',
						options: [
							{ name: 'User', value: 'user', description: 'A question or a task' },
							{
								name: 'System',
								value: 'system',
								description: 'How the model should behave, such as its tone and language',
							},
							{
								name: 'Assistant',
								value: 'assistant',
								description: 'An earlier answer of the model, or an example of one',
							},
						],
						description: 'Author of the message, which determines how the model treats it',
					},
					{
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						placeholder: 'e.g. Write a caption for this article',
						description: 'Text of the message. A message without text is refused.',
					},
				],
			},
		],
	},
	{
		displayName: 'Messages (JSON)',
		name: 'messagesJson',
		type: 'json',
		default: '[\n  { "role": "user", "content": "" }\n]',
		required: true,
		displayOptions: { show: { specifyMessages: ['json'] } },
		description:
			"Conversation as a JSON list, with the latest message last. Each message needs a 'role' and usually a 'content', and is sent unchanged, so that it may contain images or tool calls.",
	},
];

export const operation = chatOperation('chatCompletions', prepareCompletion);

export function prepareCompletion(parameter: ParameterReader, itemIndex: number) {
	const isJson = parameter('specifyMessages', itemIndex, undefined) === 'json';
	const schemas: z.ZodRawShape = isJson
		? { messagesJson: json(messageList) }
		: { messages: json(z.preprocess(messageRows, messageList)) };
	return prepareChat(parameter, itemIndex, description, schemas, (fields, options, format) => ({
		messages: fields.messages ?? fields.messagesJson,
		response_format: format && toResponseFormat(format),
		temperature: options.temperature,
		max_tokens: options.maxTokens,
	}));
}

/** A message may have one of these fields in place of content. */
const otherContent = ['tool_calls', 'function_call', 'refusal', 'audio'];

const messageList = z.lazy(() =>
	z
		.array(
			z.looseObject({ role: z.string("has no 'role' that is text") }, 'is not a message object'),
			'is not a JSON list of messages like [{"role": "user", "content": "Hello"}]',
		)
		.min(1, 'is empty')
		.refine(
			(messages) => messages.every(hasContent),
			"contains a message without 'content'; fill it in or remove the message",
		),
);

const hasContent = (message: ChatJson) =>
	!isNothing(message.content) || otherContent.some((name) => name in message);

function messageRows(value: unknown) {
	const rows = isObject(value) ? [value.message ?? []].flat() : [];
	return rows.map((row) =>
		isObject(row) && 'content' in row ? { ...row, content: toText(row.content) } : row,
	);
}

/**
 * `POST /v1/chat/completions` expects the JSON schema one level deeper than `POST /v1/responses`.
 */
const toResponseFormat = ({ type, ...schema }: ChatJson) =>
	type === 'json_schema' ? { type, json_schema: schema } : { type };
