import { randomUUID } from 'node:crypto';
import type { Credential, Workflow, WorkflowNode } from './rest';

export const NODE_TYPE = 'n8n-nodes-social-open-platform.socialOpenPlatform';
export const TRIGGER_TYPE = `${NODE_TYPE}Trigger`;
export const FORM_TYPE = 'n8n-nodes-base.formTrigger';
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

export const reference = ({ id, name, type }: Credential) => ({ [type]: { id, name } });

/** The part of a trigger's URL after `/webhook/`, `/webhook-test/` or `/form/`. */
export const webhookPath = ({ type, parameters, webhookId }: WorkflowNode): string => {
	if (type === TRIGGER_TYPE) return `${webhookId}/webhook`;
	if (type !== FORM_TYPE) return String(parameters.path);
	return (parameters.options as { path?: string } | undefined)?.path ?? String(webhookId);
};

export const manual = (): WorkflowNode => ({
	name: 'Start',
	type: 'n8n-nodes-base.manualTrigger',
	typeVersion: 1,
	parameters: {},
});

/** A Webhook node that responds with the items of the last node. */
export const webhook = (path: string): WorkflowNode => ({
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	webhookId: randomUUID(),
	parameters: {
		httpMethod: 'POST',
		path,
		responseMode: 'lastNode',
		responseData: 'allEntries',
	},
});

export function post(
	credential: Credential,
	parameters: Record<string, unknown>,
	settings: Record<string, unknown> = {},
): WorkflowNode {
	return {
		name: 'Post',
		type: NODE_TYPE,
		typeVersion: 1,
		credentials: reference(credential),
		parameters: { resource: 'post', operation: 'create', socialAccountId: 'acc_1', ...parameters },
		...settings,
	};
}

/** A workflow in which each node is connected to the next. */
export function row(name: string, ...nodes: WorkflowNode[]): Workflow {
	const connections = Object.fromEntries(
		nodes
			.slice(1)
			.map((node, index) => [
				nodes[index]!.name,
				{ main: [[{ node: node.name, type: 'main', index: 0 }]] },
			]),
	);
	return {
		name,
		nodes: nodes.map((node, index) => ({
			id: randomUUID(),
			position: [index * 220, 0] as [number, number],
			...node,
		})),
		connections,
	};
}

/** The same workflow with these items as the output of its manual trigger. */
export const given = (workflow: Workflow, ...items: Array<Record<string, unknown>>): Workflow => ({
	...workflow,
	pinData: { Start: items.map((json) => ({ json })) },
});
