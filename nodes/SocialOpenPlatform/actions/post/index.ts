import type { INodeProperties } from 'n8n-workflow';
import type { Operation } from '../run';
import * as create from './create.operation';
import { postFields } from './fields';
import * as forget from './forget.operation';
import * as validate from './validate.operation';

const showOnlyForPosts = { show: { resource: ['post'] } };

export const operations: Record<string, Operation> = { create, forget, validate };

export const description: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'create',
		options: [
			{
				name: 'Create',
				value: 'create',
				action: 'Publish a post for real',
				description:
					'Publish a post for real, now or at a set time. The answer says that the platform has it; the trigger tells when it is out.',
			},
			{
				name: 'Validate',
				value: 'validate',
				action: 'Check a post first without publishing it',
				description:
					'Check a post without sending it: the output is the exact request and what is wrong with it',
			},
			{
				name: 'Forget Keys',
				value: 'forget',
				action: 'Forget keys of posts',
				description:
					"Free keys that 'Once Per Key' has taken, so that their items can be posted again",
			},
		],
		displayOptions: showOnlyForPosts,
	},
	...postFields,
	...create.description,
	...forget.description,
	...validate.description,
];
