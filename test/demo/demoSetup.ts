import type { Emulator } from '../emulator';
import { saveState, type SavedState } from './savedState';
import { activate, example, type ActiveWorkflow } from '../n8n/examples';
import type { Rest, Workflow } from '../n8n/rest';
import { CREDENTIAL_TYPE } from '../n8n/workflows';

const CREDENTIAL_NAME = 'Platform emulator';

/** An n8n and an emulated platform that are connected. */
export interface DemoSetup {
	rest: Rest;
	emulator: Emulator;
	/** Receives articles from the CMS. */
	articles: ActiveWorkflow;
	/** Shows a form for a photo. */
	photoForm: ActiveWorkflow;
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

/** Creates a workflow, unless it was created before. */
async function workflow(rest: Rest, definition: Workflow, id?: string): Promise<string> {
	if (id !== undefined && (await exists(rest, `/rest/workflows/${id}`))) return id;
	return (await rest.createWorkflow(definition)).id;
}

/** Sets up the owner, the credential, three active workflows, and the platform's webhook. Keeps what exists. */
export async function setUpDemo(
	rest: Rest,
	state: SavedState,
	emulator: Emulator,
): Promise<DemoSetup> {
	await signIn(rest, state);
	state.credentialId = await credential(rest, emulator, state.credentialId);
	const { credentialId: id } = state;
	const own = { id, name: CREDENTIAL_NAME, type: CREDENTIAL_TYPE, data: {} };
	state.workflowId = await workflow(rest, example('cms-publish-to-post', own), state.workflowId);
	state.photoWorkflowId = await workflow(
		rest,
		example('form-photo-to-post', own),
		state.photoWorkflowId,
	);
	const statusExample = example('post-status-to-message', own);
	state.statusWorkflowId = await workflow(rest, statusExample, state.statusWorkflowId);
	saveState(state);
	const setup = {
		rest,
		emulator,
		articles: await activate(rest, state.workflowId),
		photoForm: await activate(rest, state.photoWorkflowId),
		statuses: await activate(rest, state.statusWorkflowId),
	};
	emulator.setWebhook(setup.statuses.url);
	return setup;
}
