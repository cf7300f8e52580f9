import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { readCompletion } from '../../protocol/chat/reply';
import type { Outcome } from '../../transport/outcome';
import { beginChat, sendChat, type ChatRun } from './client';
import { labels } from './fields';
import { prepareCompletion } from './request';

const showOnlyForComplete = { resource: ['chat'], operation: ['complete'] };

export const description: INodeProperties[] = [
	{
		displayName: labels.specifyMessages,
		name: 'specifyMessages',
		type: 'options',
		noDataExpression: true,
		default: 'fields',
		options: [
			{
				name: 'Using Fields Below',
				value: 'fields',
				description: 'A row for each message: who says it, and its text',
			},
			{
				name: 'Using JSON',
				value: 'json',
				description: 'A list from an earlier node, or messages that hold more than text',
			},
		],
		displayOptions: { show: showOnlyForComplete },
		description: 'Whether you write the messages one by one, or give all of them as JSON',
	},
	{
		displayName: labels.messages,
		name: 'messages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		default: { message: [{ role: 'user', content: '' }] },
		placeholder: 'Add Message',
		displayOptions: { show: { ...showOnlyForComplete, specifyMessages: ['fields'] } },
		description:
			'The conversation so far, the latest message last. The model knows nothing else: each item is a conversation of its own.',
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
								description: 'How the model is to behave, such as its tone and language',
							},
							{
								name: 'Assistant',
								value: 'assistant',
								description: 'An earlier answer of the model, or an example of one',
							},
							{
								name: 'Developer',
								value: 'developer',
								description: 'What System is, for models that want this name',
							},
						],
						description: 'Who says this message, which decides how the model takes it',
					},
					{
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						placeholder: 'e.g. Write a caption for this article',
						description: 'Text of the message; one without text is refused',
					},
				],
			},
		],
	},
	{
		displayName: labels.messagesJson,
		name: 'messagesJson',
		type: 'json',
		default: '[\n  { "role": "user", "content": "" }\n]',
		required: true,
		displayOptions: { show: { ...showOnlyForComplete, specifyMessages: ['json'] } },
		description:
			"The conversation as a JSON list, the latest message last. Each message has a 'role' and mostly a 'content'; all is sent as it is, so it may hold images or tool calls.",
	},
];

export const begin = beginChat;

/** @returns the text of the reply, its finish reason and its tokens */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	run: ChatRun,
): Promise<Outcome<object>> {
	const chat = prepareCompletion(run.parameter, itemIndex);
	return await sendChat(itemIndex, run, {
		operation: 'chatCompletions',
		chat,
		read: readCompletion,
	});
}
