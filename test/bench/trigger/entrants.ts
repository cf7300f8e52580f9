import type { Stage } from '../../n8n/stage';
import { row } from '../../n8n/workflows';
import { type Contender, type ContenderName, contenders } from './contenders';

/** A contender whose workflow is active. */
export type Entrant = Contender & { workflowId: string };

/** Creates and activates the workflow of each contender. */
export async function enter(stage: Stage): Promise<Map<ContenderName, Entrant>> {
	const { rest } = stage;
	const platform = await stage.credential('platform');
	const data = { hmacSecret: stage.emulator.appSecret };
	const secret = await rest.createCredential({ name: 'secret', type: 'crypto', data });
	const entrants = new Map<ContenderName, Entrant>();
	for (const contender of contenders(platform, secret)) {
		const created = await rest.createWorkflow(row(contender.name, ...contender.nodes));
		await rest.activate(created);
		entrants.set(contender.name, { ...contender, workflowId: created.id });
	}
	return entrants;
}
