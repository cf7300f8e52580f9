import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { readCompletion } from '../../protocol/chat/reply';
import type { Outcome } from '../../transport/outcome';
import { beginChat, sendChat, type ChatRun } from './send';
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
				description: 'One row per message, with its role and its text',
			},
			{
				name: 'Using JSON',
				value: 'json',
				description:
					'A JSON list, for example from an earlier node, or messages that contain more than text',
			},
		],
		displayOptions: { show: showOnlyForComplete },
		description: 'Whether to enter the messages one by one, or all of them as JSON',
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
							{
								name: 'Developer',
								value: 'developer',
								description: 'The same as System, for models that use this name',
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
		displayName: labels.messagesJson,
		name: 'messagesJson',
		type: 'json',
		default: '[\n  { "role": "user", "content": "" }\n]',
		required: true,
		displayOptions: { show: { ...showOnlyForComplete, specifyMessages: ['json'] } },
		description:
			"Conversation as a JSON list, with the latest message last. Each message needs a 'role' and usually a 'content', and is sent unchanged, so that it may contain images or tool calls.",
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
