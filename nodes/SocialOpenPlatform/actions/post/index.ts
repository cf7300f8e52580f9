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
				action: 'Publish a post',
				description:
					'Publish a post now or at a set time. The output shows that the platform has accepted it; the trigger reports when it is published.',
			},
			{
				name: 'Validate',
				value: 'validate',
				action: 'Validate a post without publishing',
				description:
					'Check the fields of a post without sending it. The output contains the exact request and all issues found.',
			},
			{
				name: 'Clear Deduplication Keys',
				value: 'forget',
				action: 'Clear deduplication keys',
				description:
					"Clear keys recorded by 'Deduplication Key', so that their posts can be published again",
			},
		],
		displayOptions: showOnlyForPosts,
	},
	...postFields,
	...create.description,
	...forget.description,
	...validate.description,
];
