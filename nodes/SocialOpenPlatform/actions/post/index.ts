import type { INodeProperties } from 'n8n-workflow';
import * as create from './create.operation';
import { postFields } from './create.fields';
import * as validate from './validate.operation';

const showOnlyForPosts = { show: { resource: ['post'] } };

export const operations = { create, validate };

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
				action: 'Create a post',
				description: 'Publish a post for real, now or at a set time',
			},
			{
				name: 'Validate',
				value: 'validate',
				action: 'Validate a post',
				description: 'Check a post without sending it, and see the exact request',
			},
		],
		displayOptions: showOnlyForPosts,
	},
	...postFields,
	...create.description,
	...validate.description,
];
