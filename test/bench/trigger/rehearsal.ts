import { waitUntilIdle } from '../../n8n/executions';
import type { Arena } from './arena';
import { type ContenderName, LAST_NODE } from './contenders';
import { accepting, type Lane, refusing } from './lanes';

/** Makes sure that each contender does what it is measured for, before anything is measured. */

/** Long enough for n8n's compiler and caches to have seen every path. */
const WARM_UP_MS = 1_500;

async function tryOut(arena: Arena, lane: Lane): Promise<void> {
	const { complaint } = await arena.deliver(lane);
	if (complaint === undefined) return;
	throw new Error(`A ${lane.signature} delivery to '${lane.contender}' was answered ${complaint}`);
}

/** The nodes that ran in the latest execution of a contender. */
async function latestRun(arena: Arena, name: ContenderName): Promise<string[]> {
	const { rest } = arena.setup;
	// While it changes from one state to the next, an execution can be missing in the list.
	await waitUntilIdle(rest, arena.pid);
	const [id = ''] = await rest.executionIds(arena.workflowId(name));
	return Object.keys((await rest.finished(id)).runs);
}

/** A chain that let everything through, or nothing, would be another kind of work. */
export async function rehearse(arena: Arena): Promise<void> {
	for (const lane of [...accepting, ...refusing]) {
		await tryOut(arena, lane);
		if (!lane.executes) continue;
		const passed = (await latestRun(arena, lane.contender)).includes(LAST_NODE);
		if (passed === (lane.signature === 'genuine')) continue;
		const what = passed ? 'lets a forged delivery through' : 'stops a genuine delivery';
		throw new Error(`The workflow '${lane.contender}' ${what}`);
	}
	for (const lane of [...accepting, ...refusing]) await arena.burst(lane, WARM_UP_MS);
}
