import './webhookLog';
import { HookContext, WebhookContext } from 'n8n-core';
import {
	Workflow,
	type INode,
	type INodeTypes,
	type IWebhookData,
	type IWebhookResponseData,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { SocialOpenPlatformTrigger } from '../../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';
import type { CredentialStore } from './credentialStore';

const trigger = new SocialOpenPlatformTrigger();

export const webhookDescription = trigger.description.webhooks![0]!;
export const typeVersion = trigger.description.version as number;

const nodeTypes: INodeTypes = {
	getByName: () => trigger,
	getByNameAndVersion: () => trigger,
	getKnownTypes: () => ({}),
};

/** Calls the trigger as n8n does, with n8n's contexts and a new workflow object for each call. */
export class TriggerRunner {
	constructor(
		private readonly store: CredentialStore,
		private readonly workflowId: string,
		private readonly node: INode,
	) {}

	async webhook(
		httpRequest: object,
		httpResponse: object,
		mode: WorkflowExecuteMode,
	): Promise<IWebhookResponseData> {
		const { workflow, node, data } = this.prepare({ httpRequest, httpResponse });
		const more = data.workflowExecuteAdditionalData;
		const context = new WebhookContext(workflow, node, more, mode, data, [], null);
		return await trigger.webhook.call(context);
	}

	async hook(method: 'checkExists' | 'create' | 'delete'): Promise<boolean> {
		return await trigger.webhookMethods.default[method].call(this.hookContext());
	}

	hookContext(): HookContext {
		const { workflow, node, data } = this.prepare();
		const more = data.workflowExecuteAdditionalData;
		return new HookContext(workflow, node, more, 'trigger', 'activate', data);
	}

	private prepare(more: object = {}) {
		const { name } = this.node;
		const workflow = new Workflow({
			id: this.workflowId,
			nodes: [structuredClone(this.node)],
			connections: {},
			active: true,
			nodeTypes,
		});
		const additionalData = { credentialsHelper: this.store, variables: {}, ...more };
		const data: IWebhookData = {
			httpMethod: 'POST',
			node: name,
			path: webhookDescription.path,
			webhookDescription,
			workflowId: this.workflowId,
			workflowExecuteAdditionalData: additionalData as unknown as IWorkflowExecuteAdditionalData,
		};
		return { workflow, node: workflow.getNode(name)!, data };
	}
}
