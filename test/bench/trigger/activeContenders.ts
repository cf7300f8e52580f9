import type { Setup } from '../../n8n/setup';
import { row } from '../../n8n/workflows';
import { type Contender, type ContenderName, contenders } from './contenders';

/** A contender whose workflow is active. */
export type ActiveContender = Contender & { workflowId: string };

/** Creates and activates the workflow of each contender. */
export async function activateContenders(
	setup: Setup,
): Promise<Map<ContenderName, ActiveContender>> {
	const { rest } = setup;
	const platform = await setup.credential('platform');
	const data = { hmacSecret: setup.emulator.appSecret };
	const secret = await rest.createCredential({ name: 'secret', type: 'crypto', data });
	const active = new Map<ContenderName, ActiveContender>();
	for (const contender of contenders(platform, secret)) {
		const created = await rest.createWorkflow(row(contender.name, ...contender.nodes));
		await rest.activate(created);
		active.set(contender.name, { ...contender, workflowId: created.id });
	}
	return active;
}
