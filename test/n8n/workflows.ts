import { randomUUID } from 'node:crypto';
import type { Credential, Workflow, WorkflowNode } from './rest';

/** Workflows as the tests need them: nodes in a row, each connected to the next. */

export const NODE_TYPE = 'n8n-nodes-social-open-platform.socialOpenPlatform';
export const TRIGGER_TYPE = `${NODE_TYPE}Trigger`;
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

export const reference = ({ id, name, type }: Credential) => ({ [type]: { id, name } });

/** Where a webhook's or our trigger's URL ends, behind `/webhook/` and `/webhook-test/`. */
export const webhookPath = ({ type, parameters, webhookId }: WorkflowNode): string =>
	type === TRIGGER_TYPE ? `${webhookId}/webhook` : String(parameters.path);

export const manual = (): WorkflowNode => ({
	name: 'Start',
	type: 'n8n-nodes-base.manualTrigger',
	typeVersion: 1,
	parameters: {},
});

/** Answers with the items of the last node, once that is done. */
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

/** A workflow of the given nodes, each connected to the next. */
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

/** The same workflow, its manual trigger giving these items. */
export const given = (workflow: Workflow, ...items: Array<Record<string, unknown>>): Workflow => ({
	...workflow,
	pinData: { Start: items.map((json) => ({ json })) },
});
