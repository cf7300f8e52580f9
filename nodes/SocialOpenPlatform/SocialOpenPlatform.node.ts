import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { chat } from './chat/resource';
import { runOperation } from './items/run';
import { post } from './post/resource';

const resources = { post, chat };

export class SocialOpenPlatform implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Social Open Platform',
		name: 'socialOpenPlatform',
		icon: { light: 'file:socialOpenPlatform.svg', dark: 'file:socialOpenPlatform.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Publish posts to a photo and video platform, now or at a set time and at most once per execution, validate them without publishing, or use a chat model',
		documentationUrl:
			'https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/operations.md',
		defaults: { name: 'Social Open Platform' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		hints: post.hints,
		builderHint: {
			searchHint:
				'Post → Create publishes each item once, even if the execution is retried. Post → Validate has the same fields, sends nothing, and returns all issues. Create returns the status "processing", not "published": use the trigger of the same name to receive the final status of a post. For an AI agent, add this node as a tool twice, with Validate and with Create.',
		},
		credentials: [{ name: 'socialOpenPlatformApi', required: true }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				default: 'post',
				options: [
					{
						name: 'Post',
						value: 'post',
						description: 'Publish a post, validate it, or clear deduplication keys',
					},
					{ name: 'Chat', value: 'chat', description: "Ask one of the platform's models" },
				],
			},
			...post.description,
			...chat.description,
		],
	};

	methods = { listSearch: post.listSearch };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(this, resources);
	}
}
