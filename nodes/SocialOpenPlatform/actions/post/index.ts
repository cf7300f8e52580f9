import type { INodeProperties } from 'n8n-workflow';
import type { Operation } from '../operation';
import * as create from './create.operation';
import { postFields } from './create.fields';
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
				description: 'Publish a post for real, now or at a set time',
			},
			{
				name: 'Validate',
				value: 'validate',
				action: 'Check a post first without publishing it',
				description: 'Check a post without sending it, and see the exact request',
			},
			{
				name: 'Forget Keys',
				value: 'forget',
				action: 'Forget keys of posts',
				description: "Make items that 'Once Per Key' has seen postable again",
			},
		],
		displayOptions: showOnlyForPosts,
	},
	...postFields,
	...create.description,
	...forget.description,
	...validate.description,
];
