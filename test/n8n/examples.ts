import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { thisHost } from './hosts';
import { packageName, root } from './pack';
import type { Credential, Rest, Workflow } from './rest';
import { FORM_TYPE, reference, TRIGGER_TYPE, webhookPath } from './workflows';

/** The account that is chosen in the examples where none is. */
const account = { __rl: true, mode: 'id', value: 'acc_1024' };

/** A workflow from examples/ with an account, and with a credential unless n8n chooses it. */
export function example(name: string, credential?: Credential): Workflow {
	const file = join(root, 'examples', `${name}.json`);
	const workflow = JSON.parse(readFileSync(file, 'utf8')) as Workflow;
	for (const node of workflow.nodes) {
		if (credential && node.type.startsWith(`${packageName}.`))
			node.credentials = reference(credential);
		const { socialAccountId: chosen } = node.parameters as { socialAccountId?: { value: string } };
		if (chosen?.value === '') node.parameters.socialAccountId = account;
		if (node.type === TRIGGER_TYPE && !thisHost.behaviour.assignsWebhookIds)
			node.webhookId = randomUUID();
	}
	return workflow;
}

/** An active workflow, and the production URL of its trigger. */
export interface ActiveWorkflow {
	id: string;
	name: string;
	url: string;
}

/** Activates a workflow, and reads the URL of its trigger, of which n8n or the user chooses a part. */
export async function activate(rest: Rest, id: string): Promise<ActiveWorkflow> {
	const { name, nodes, versionId } = await rest.call<Workflow & { versionId: string }>(
		'GET',
		`/rest/workflows/${id}`,
	);
	await rest.activate({ id, versionId });
	const takesRequests = ['n8n-nodes-base.webhook', FORM_TYPE, TRIGGER_TYPE];
	const trigger = nodes.find(({ type }) => takesRequests.includes(type));
	if (!trigger) throw new Error(`Workflow “${name}” has no webhook trigger`);
	const start = trigger.type === FORM_TYPE ? 'form' : 'webhook';
	return { id, name, url: `${rest.url}/${start}/${webhookPath(trigger)}` };
}
