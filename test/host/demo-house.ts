import type { Emulator } from '../emulator';
import type { Memory } from './demo-memory';
import { example } from './examples';
import type { Rest, Workflow } from './rest';
import { CREDENTIAL_TYPE } from './workflows';

/** Furnishes the demo's n8n: owner, credential, workflow. What is there already stays as it is. */

const CREDENTIAL_NAME = 'Platform emulator';

export async function moveIn(rest: Rest, memory: Memory): Promise<void> {
	const { email, password } = memory;
	const settings = await rest.call<{ userManagement: { showSetupOnFirstLoad?: boolean } }>(
		'GET',
		'/rest/settings',
	);
	if (settings.userManagement.showSetupOnFirstLoad) await rest.setUpOwner(email, password);
	else await rest.signIn(email, password);
}

const isThere = async (rest: Rest, path: string): Promise<boolean> =>
	await rest.call<{ isArchived?: boolean }>('GET', path).then(
		({ isArchived }) => isArchived !== true,
		() => false,
	);

/** The credential, with the address the emulator has this time. */
export async function credential(rest: Rest, memory: Memory, emulator: Emulator): Promise<string> {
	const { url: baseUrl, appId, appSecret } = emulator;
	const data = { baseUrl, appId, appSecret };
	const wanted = { name: CREDENTIAL_NAME, type: CREDENTIAL_TYPE, data };
	const { credentialId: id } = memory;
	if (id !== undefined && (await isThere(rest, `/rest/credentials/${id}`))) {
		await rest.updateCredential({ id, ...wanted });
		return id;
	}
	return (await rest.createCredential(wanted)).id;
}

/** The example as a user would import it, with the credential chosen; an edited one is kept. */
export async function workflow(rest: Rest, memory: Memory): Promise<string> {
	const { workflowId, credentialId: id = '' } = memory;
	if (workflowId !== undefined && (await isThere(rest, `/rest/workflows/${workflowId}`))) {
		return workflowId;
	}
	const chosen = { id, name: CREDENTIAL_NAME, type: CREDENTIAL_TYPE, data: {} };
	return (await rest.createWorkflow(example('cms-publish-to-post', chosen))).id;
}

/** The path of the production webhook, which the workflow's user may have changed. */
export async function activated(rest: Rest, id: string): Promise<string> {
	const { versionId, nodes } = await rest.call<Workflow & { versionId: string }>(
		'GET',
		`/rest/workflows/${id}`,
	);
	await rest.activate({ id, versionId });
	const path = nodes.find(({ type }) => type.endsWith('.webhook'))?.parameters.path;
	return String(path);
}
