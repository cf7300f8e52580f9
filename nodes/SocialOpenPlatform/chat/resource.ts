import { formatFields, modelField, options, shownFor } from './fields';
import * as complete from './complete.operation';
import * as respond from './respond.operation';

export const operations = { complete: complete.operation, respond: respond.operation };

export const description = shownFor({ resource: ['chat'] }, [
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
	...shownFor({ operation: ['complete'] }, complete.description),
	...shownFor({ operation: ['respond'] }, respond.description),
	...formatFields,
	options,
]);
