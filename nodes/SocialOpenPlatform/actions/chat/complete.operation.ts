import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { readCompletion } from '../../protocol/chat';
import { ask } from './ask';
import { labels } from './chat.labels';
import { prepareCompletion } from './chat.request';
import { beginChat, type ChatRun } from './chatRun';

const showOnlyForComplete = { resource: ['chat'], operation: ['complete'] };

export const description: INodeProperties[] = [
	{
		displayName: labels.specifyMessages,
		name: 'specifyMessages',
		type: 'options',
		noDataExpression: true,
		default: 'fields',
		options: [
			{ name: 'Using Fields Below', value: 'fields' },
			{ name: 'Using JSON', value: 'json' },
		],
		displayOptions: { show: showOnlyForComplete },
		description: 'How the conversation is given',
	},
	{
		displayName: labels.messages,
		name: 'messages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		default: { message: [{ role: 'user', content: '' }] },
		placeholder: 'Add Message',
		displayOptions: { show: { ...showOnlyForComplete, specifyMessages: ['fields'] } },
		description: 'The conversation so far, the latest message last',
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
							{ name: 'User', value: 'user', description: 'What is asked' },
							{ name: 'System', value: 'system', description: 'How the model is to behave' },
							{ name: 'Assistant', value: 'assistant', description: 'What the model said before' },
							{ name: 'Developer', value: 'developer', description: 'System, for newer models' },
						],
						description: 'Who says it',
					},
					{
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						placeholder: 'e.g. Write a caption for this article',
						description: 'What is said',
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
		description: 'The conversation as a JSON list of messages, sent as it is',
	},
];

export { beginChat as begin };

/** @returns the answer's text first, then how it ended and what it took */
export async function execute(
	this: IExecuteFunctions,
	itemIndex: number,
	run: ChatRun,
): Promise<object> {
	const question = { prepare: prepareCompletion, read: readCompletion };
	return await ask.call(this, itemIndex, run, { operation: 'chatCompletions', ...question });
}
