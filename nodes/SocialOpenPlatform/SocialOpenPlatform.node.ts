import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import * as chat from './actions/chat';
import * as post from './actions/post';
import { router } from './actions/router';

export class SocialOpenPlatform implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Social Open Platform',
		name: 'socialOpenPlatform',
		icon: { light: 'file:socialOpenPlatform.svg', dark: 'file:socialOpenPlatform.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Publish a post to a photo and video platform for real, at most once in an execution, now or at a set time; check it first without sending it; or ask a chat model',
		defaults: { name: 'Social Open Platform' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Post → Create publishes for real, once for each item even when the execution is retried. Post → Validate takes the same fields, sends nothing, and tells what is wrong. Creating returns the status "processing", not "published": use the trigger of the same name to learn what became of a post. For an AI agent, add this node as a tool twice, with Validate and with Create.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-social-open-platform.socialOpenPlatformTrigger',
					relationHint: 'Starts a workflow when a post was published or has failed',
				},
				{
					nodeType: 'n8n-nodes-social-open-platform.socialOpenPlatformChatModel',
					relationHint: "The platform's models for AI agents and chains",
				},
			],
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
						description: 'Publish a post, check one first, or free keys',
					},
					{ name: 'Chat', value: 'chat', description: "Ask one of the platform's models" },
				],
			},
			...post.description,
			...chat.description,
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await router.call(this);
	}
}
