import { z } from 'zod/v4';
import { isNothing, toText } from '../items/values';
import { fieldsOf } from '../platform/json';
import { json } from './fields';
import type { ChatOperation } from './resource';
import type { ChatJson } from './response';

/** The operation Create Completion, which sends `POST /v1/chat/completions`. */
export const createCompletion: ChatOperation = {
	operation: 'chatCompletions',
	fields: [
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
	],
	schemas: (read): z.ZodRawShape =>
		read('specifyMessages') === 'json'
			? { messagesJson: json(messageList) }
			: { messages: json(z.preprocess(messageRows, messageList)) },
	toBody: (fields, options, format) => ({
		messages: fields.messages ?? fields.messagesJson,
		response_format: format && toResponseFormat(format),
		max_tokens: options.maxTokens,
	}),
};

/** Returns the rows of *Messages*. An expression may return a single row instead of a list. */
const messageRows = (messages: unknown) => [fieldsOf(messages).message ?? []].flat();

const messageList = z.lazy(() =>
	z
		.array(
			z.looseObject(
				{
					role: z.string("has no 'role' that is text"),
					content: z.unknown().transform(toText),
				},
				'is not a message object',
			),
			'is not a JSON list of messages like [{"role": "user", "content": "Hello"}]',
		)
		.min(1, 'is empty')
		.refine(
			(messages) =>
				// Another field may replace the content, such as tool calls, a refusal or audio.
				messages.every((message) => !isNothing(message.content) || Object.keys(message).length > 2),
			"contains a message without 'content'; fill it in or remove the message",
		),
);

/** Nests the schema one level deeper than Create Response, as this operation requires. */
const toResponseFormat = ({ type, ...schema }: ChatJson) => ({
	type,
	json_schema: schema.schema && schema,
});
