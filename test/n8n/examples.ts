import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { thisHost } from './hosts';
import { packageName, root } from './pack';
import type { Credential, Rest, Workflow } from './rest';
import { reference, TRIGGER_TYPE, webhookPath } from './workflows';

/** A workflow of examples/ as a user has it after importing it and choosing a credential. */
export function example(name: string, credential: Credential): Workflow {
	const file = join(root, 'examples', `${name}.json`);
	const workflow = JSON.parse(readFileSync(file, 'utf8')) as Workflow;
	for (const node of workflow.nodes) {
		if (node.type.startsWith(`${packageName}.`)) node.credentials = reference(credential);
		if (node.type === TRIGGER_TYPE && !thisHost.does.giveWebhookIds) node.webhookId = randomUUID();
	}
	return workflow;
}

/** A workflow that is active, and the production URL at which its trigger takes requests. */
export interface ActiveWorkflow {
	id: string;
	name: string;
	url: string;
}

/** Activates a workflow as it is now: part of the URL is chosen by n8n, or by the user. */
export async function activate(rest: Rest, id: string): Promise<ActiveWorkflow> {
	const { name, nodes, versionId } = await rest.call<Workflow & { versionId: string }>(
		'GET',
		`/rest/workflows/${id}`,
	);
	await rest.activate({ id, versionId });
	const takesRequests = ['n8n-nodes-base.webhook', TRIGGER_TYPE];
	const paths = nodes.filter(({ type }) => takesRequests.includes(type)).map(webhookPath);
	if (paths.length === 0) throw new Error(`Workflow “${name}” has no trigger any more`);
	return { id, name, url: `${rest.url}/webhook/${paths[0]}` };
}
