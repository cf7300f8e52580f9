import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { assertReady } from './webhook/delivery';
import { getAccounts, triggerPanel, triggerProperties } from './webhook/parameters';
import { receive } from './webhook/receive';

export class SocialOpenPlatformTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Social Open Platform Trigger',
		name: 'socialOpenPlatformTrigger',
		icon: { light: 'file:socialOpenPlatform.svg', dark: 'file:socialOpenPlatform.dark.svg' },
		group: ['trigger'],
		// Version 1 would be slower, because n8n would evaluate an expression for each webhook request.
		version: 2,
		subtitle:
			'={{ $parameter["events"].includes("*") ? "any status" : $parameter["events"].join(", ") }}',
		// The nodes panel shows this description for the trigger and the action node together.
		description:
			'Publish posts to a photo and video platform, and start workflows when a post is published or has failed',
		eventTriggerDescription: 'Waiting for the platform to send a status to the Test URL',
		activationMessage:
			"The trigger now receives webhooks at its Production URL. Enter this URL in the platform's console.",
		triggerPanel,
		documentationUrl:
			'https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/trigger.md',
		defaults: { name: 'Social Open Platform Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'socialOpenPlatformApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Without this setting, n8n responds with the string 'firstEntryJson'.
				responseData: '',
				path: 'webhook',
			},
		],
		properties: triggerProperties,
	};

	methods = { loadOptions: { getAccounts } };

	webhookMethods = {
		default: {
			/** The platform has no operation that lists webhooks, so n8n always calls `create`. */
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				await assertReady(this);
				return true;
			},
			/** Users remove the URL in the platform's console. Until then, n8n responds with HTTP 404. */
			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}
}
