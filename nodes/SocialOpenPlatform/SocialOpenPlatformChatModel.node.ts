import type { supplyModel } from '@n8n/ai-node-sdk';
import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
} from 'n8n-workflow';
import { modelProperties } from './chat/fields';
import { supply } from './chat/model';

export class SocialOpenPlatformChatModel implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Social Open Platform Chat Model',
		name: 'socialOpenPlatformChatModel',
		icon: { light: 'file:socialOpenPlatform.svg', dark: 'file:socialOpenPlatform.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"] }}',
		description: "Use a chat model of the platform in n8n's AI agents and chains",
		documentationUrl:
			'https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/agents.md',
		defaults: { name: 'Social Open Platform Chat Model' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: [{ name: 'socialOpenPlatformApi', required: true }],
		builderHint: {
			searchHint:
				'A chat model for AI Agent and chains, with tools and streaming. To use a model without an agent, use the action node of the same name: Chat → Create Completion.',
		},
		properties: modelProperties,
	};

	async supplyData(
		this: ISupplyDataFunctions,
		itemIndex: number,
	): Promise<ReturnType<typeof supplyModel>> {
		return await supply(this, itemIndex);
	}
}
