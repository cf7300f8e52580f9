import type { Emulator } from '../emulator';
import { keep, type Memory } from './memory';
import { activate, example, type ActiveWorkflow } from '../n8n/examples';
import type { Rest } from '../n8n/rest';
import { CREDENTIAL_TYPE } from '../n8n/workflows';

/** Furnishes the demo's n8n: owner, credential, workflows. What is there already stays as it is. */

const CREDENTIAL_NAME = 'Platform emulator';

/** An n8n and a platform that know each other. */
export interface House {
	rest: Rest;
	emulator: Emulator;
	/** Takes articles from the CMS. */
	articles: ActiveWorkflow;
	/** Takes reports from the platform. */
	statuses: ActiveWorkflow;
}

async function moveIn(rest: Rest, { email, password }: Memory): Promise<void> {
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
async function credential(rest: Rest, emulator: Emulator, id?: string): Promise<string> {
	const { url: baseUrl, appId, appSecret } = emulator;
	const data = { baseUrl, appId, appSecret };
	const wanted = { name: CREDENTIAL_NAME, type: CREDENTIAL_TYPE, data };
	if (id !== undefined && (await isThere(rest, `/rest/credentials/${id}`))) {
		await rest.updateCredential({ id, ...wanted });
		return id;
	}
	return (await rest.createCredential(wanted)).id;
}

/** An example as a user would import it, with the credential chosen; an edited one is kept. */
async function workflow(rest: Rest, name: string, credentialId: string, id?: string) {
	if (id !== undefined && (await isThere(rest, `/rest/workflows/${id}`))) return id;
	const chosen = { id: credentialId, name: CREDENTIAL_NAME, type: CREDENTIAL_TYPE, data: {} };
	return (await rest.createWorkflow(example(name, chosen))).id;
}

/** Moves in, activates both workflows, and tells the platform where to report to. */
export async function furnish(rest: Rest, memory: Memory, emulator: Emulator): Promise<House> {
	await moveIn(rest, memory);
	const id = await credential(rest, emulator, memory.credentialId);
	const articles = await workflow(rest, 'cms-publish-to-post', id, memory.workflowId);
	const statuses = await workflow(rest, 'post-failed-to-message', id, memory.statusWorkflowId);
	Object.assign(memory, { credentialId: id, workflowId: articles, statusWorkflowId: statuses });
	keep(memory);
	const house = {
		rest,
		emulator,
		articles: await activate(rest, articles),
		statuses: await activate(rest, statuses),
	};
	emulator.setWebhook(house.statuses.url);
	return house;
}
