import type { INodeProperties } from 'n8n-workflow';
import { modelField } from './chatOptions';
import type { Operation } from '../items/operation';
import { formatFields, options, showOnlyForChat } from './chatFields';
import * as complete from './complete.operation';
import * as respond from './respond.operation';

export const operations: Record<string, Operation> = { complete, respond };

export const description: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'complete',
		options: [
			{
				name: 'Create Completion',
				value: 'complete',
				action: 'Create a chat completion',
				description: 'Let a model answer a conversation of several messages',
			},
			{
				name: 'Create Response',
				value: 'respond',
				action: 'Create a chat response',
				description: 'Let a model answer a single input, with optional instructions',
			},
		],
		displayOptions: showOnlyForChat,
	},
	{ ...modelField, displayOptions: showOnlyForChat },
	...complete.description,
	...respond.description,
	...formatFields,
	options,
];
