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
			'Publish a post to a photo and video platform for real, at most once, now or at a set time, or check it first without sending it',
		defaults: { name: 'Social Open Platform' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'socialOpenPlatformApi', required: true }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				default: 'post',
				options: [
					{ name: 'Chat', value: 'chat' },
					{ name: 'Post', value: 'post' },
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
