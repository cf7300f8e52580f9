import { updateDisplayOptions } from 'n8n-workflow';
import { createCompletion } from './complete.operation';
import { chatOptions, formatFields, modelField } from './fields';
import { chatOperation } from './request';
import { createResponse } from './respond.operation';

export const operations = {
	complete: chatOperation(createCompletion),
	respond: chatOperation(createResponse),
};

export const description = updateDisplayOptions({ show: { resource: ['chat'] } }, [
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
	},
	modelField,
	...updateDisplayOptions({ show: { operation: ['complete'] } }, createCompletion.fields),
	...updateDisplayOptions({ show: { operation: ['respond'] } }, createResponse.fields),
	...formatFields,
	chatOptions,
]);
