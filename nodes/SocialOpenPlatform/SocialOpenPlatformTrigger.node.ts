import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { assertReady } from './trigger/activate';
import { panel } from './trigger/panel';
import { properties } from './trigger/properties';
import { receive } from './trigger/receive';

export class SocialOpenPlatformTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Social Open Platform Trigger',
		name: 'socialOpenPlatformTrigger',
		icon: { light: 'file:socialOpenPlatform.svg', dark: 'file:socialOpenPlatform.dark.svg' },
		group: ['trigger'],
		// From version 2 on, n8n reads a request without evaluating expressions.
		version: 2,
		subtitle:
			'={{ $parameter["events"].includes("*") ? "any status" : $parameter["events"].join(", ") }}',
		description:
			'Publish posts to a photo and video platform, and start workflows when a post is published or has failed',
		eventTriggerDescription: 'Waiting for the platform to send a status to the Test URL',
		activationMessage:
			"The trigger now takes deliveries at its Production URL. Enter that URL in the platform's console.",
		triggerPanel: panel,
		defaults: { name: 'Social Open Platform Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'socialOpenPlatformApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Left out, n8n would answer with the text 'firstEntryJson'.
				responseData: '',
				path: 'webhook',
			},
		],
		properties,
	};

	webhookMethods = {
		default: {
			/** The platform cannot be asked, so nothing is taken for granted. */
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await assertReady.call(this);
			},
			/** The address stays in the platform's console; n8n answers 404 from now on. */
			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive.call(this);
	}
}
