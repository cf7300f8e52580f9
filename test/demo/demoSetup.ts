import type { Emulator } from '../emulator';
import { saveState, type SavedState } from './savedState';
import { activate, example, type ActiveWorkflow } from '../n8n/examples';
import type { Rest } from '../n8n/rest';
import { CREDENTIAL_TYPE } from '../n8n/workflows';

const CREDENTIAL_NAME = 'Platform emulator';

/** An n8n and an emulated platform that are connected. */
export interface DemoSetup {
	rest: Rest;
	emulator: Emulator;
	/** Receives articles from the CMS. */
	articles: ActiveWorkflow;
	/** Receives reports from the platform. */
	statuses: ActiveWorkflow;
}

async function signIn(rest: Rest, { email, password }: SavedState): Promise<void> {
	const settings = await rest.call<{ userManagement: { showSetupOnFirstLoad?: boolean } }>(
		'GET',
		'/rest/settings',
	);
	if (settings.userManagement.showSetupOnFirstLoad) await rest.setUpOwner(email, password);
	else await rest.signIn(email, password);
}

const exists = async (rest: Rest, path: string): Promise<boolean> =>
	await rest.call<{ isArchived?: boolean }>('GET', path).then(
		({ isArchived }) => isArchived !== true,
		() => false,
	);

/** Creates or updates the credential with the emulator's present URL. */
async function credential(rest: Rest, emulator: Emulator, id?: string): Promise<string> {
	const { url: baseUrl, appId, appSecret } = emulator;
	const data = { baseUrl, appId, appSecret };
	const fields = { name: CREDENTIAL_NAME, type: CREDENTIAL_TYPE, data };
	if (id !== undefined && (await exists(rest, `/rest/credentials/${id}`))) {
		await rest.updateCredential({ id, ...fields });
		return id;
	}
	return (await rest.createCredential(fields)).id;
}

/** Imports an example with its credential, unless it was imported before. */
async function workflow(rest: Rest, name: string, credentialId: string, id?: string) {
	if (id !== undefined && (await exists(rest, `/rest/workflows/${id}`))) return id;
	const reference = { id: credentialId, name: CREDENTIAL_NAME, type: CREDENTIAL_TYPE, data: {} };
	return (await rest.createWorkflow(example(name, reference))).id;
}

/** Sets up the owner, the credential, two active workflows, and the platform's webhook. Keeps what exists. */
export async function setUpDemo(
	rest: Rest,
	state: SavedState,
	emulator: Emulator,
): Promise<DemoSetup> {
	await signIn(rest, state);
	const id = await credential(rest, emulator, state.credentialId);
	const articles = await workflow(rest, 'cms-publish-to-post', id, state.workflowId);
	const statuses = await workflow(rest, 'post-failed-to-message', id, state.statusWorkflowId);
	Object.assign(state, { credentialId: id, workflowId: articles, statusWorkflowId: statuses });
	saveState(state);
	const setup = {
		rest,
		emulator,
		articles: await activate(rest, articles),
		statuses: await activate(rest, statuses),
	};
	emulator.setWebhook(setup.statuses.url);
	return setup;
}
