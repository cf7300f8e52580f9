import type { IDataObject, INode, IWebhookResponseData } from 'n8n-workflow';
import { loopback } from '../../loopback';
import type { CredentialStore } from './credentialStore';
import { TriggerRunner, typeVersion, webhookDescription } from './triggerRunner';
import { asWebhookRequest, readRequestBody, type WebhookRequest } from './webhookRequest';
import { asWebhookResponse, type SentResponse, type WebhookResponse } from './webhookResponse';

/** A stored execution with the items of the trigger or its error. */
export interface StoredExecution {
	items: IDataObject[];
	error?: Error;
}

let hosts = 0;

/**
 * The part of n8n that receives webhooks and calls one active trigger. Each host has a workflow of its own,
 * because the trigger remembers deliveries by workflow.
 */
export class WebhookHost {
	/** The trigger node. As in n8n, it is read again for each delivery. */
	readonly node: INode = {
		id: 'node-1',
		name: 'Status',
		type: 'n8n-nodes-social-open-platform.socialOpenPlatformTrigger',
		typeVersion,
		position: [0, 0],
		parameters: {},
		credentials: { socialOpenPlatformApi: { id: '1', name: 'Platform' } },
	};

	readonly workflowId = `wf${hosts++}`;
	readonly executions: StoredExecution[] = [];
	readonly responses: SentResponse[] = [];

	/** The mode of executions, which is `manual` while an editor listens for a test event. */
	mode: 'webhook' | 'manual' = 'webhook';

	/** Runs when an execution is stored. If it throws, the execution is not stored. */
	storing: () => Promise<void> | void = () => {};

	url = '';
	stop = async (): Promise<void> => {};

	private readonly runner: TriggerRunner;

	constructor(store: CredentialStore, parameters: IDataObject) {
		this.node.parameters = parameters as INode['parameters'];
		this.runner = new TriggerRunner(store, this.workflowId, this.node);
	}

	async start(): Promise<this> {
		const { httpMethod, path } = webhookDescription;
		const { url, stop } = await loopback((incoming, outgoing) => {
			const response = asWebhookResponse(outgoing, (sent) => this.responses.push(sent));
			if (incoming.method === httpMethod) void this.execute(asWebhookRequest(incoming), response);
			else response.status(404).json({ message: 'This webhook is not registered' });
		});
		this.url = `${url}/${path}`;
		this.stop = stop;
		return this;
	}

	/** Does what n8n does when a workflow is activated. */
	async activate(): Promise<void> {
		if (!(await this.runner.hook('checkExists'))) await this.runner.hook('create');
	}

	async deactivate(): Promise<boolean> {
		return await this.runner.hook('delete');
	}

	/** Reads the body, runs the node, stores the execution and responds, like n8n's `executeWebhook`. */
	private async execute(request: WebhookRequest, response: WebhookResponse): Promise<void> {
		const fail = (status: number, message: string) => response.status(status).json({ message });
		try {
			await readRequestBody(request);
		} catch (error) {
			fail(500, (error as Error).message);
			return;
		}
		let result: IWebhookResponseData;
		try {
			result = await this.runner.webhook(request, response, this.mode);
		} catch (error) {
			fail(500, 'Workflow Webhook Error: Workflow could not be started!');
			this.executions.push({ items: [], error: error as Error });
			return;
		}
		const { workflowData, webhookResponse, noWebhookResponse } = result;
		if (workflowData) {
			try {
				await this.storing();
			} catch {
				fail(500, 'There was a problem executing the workflow');
				return;
			}
			this.executions.push({ items: workflowData[0]!.map(({ json }) => json) });
		}
		if (noWebhookResponse) return;
		const { responseMode, responseData = 'firstEntryJson' } = webhookDescription;
		if (responseMode !== 'onReceived')
			throw new Error(`Unsupported response mode:  ${String(responseMode)}`);
		const instead = workflowData ? responseData : '';
		response.status(200).json(instead || (webhookResponse ?? { message: 'Workflow was started' }));
	}
}
