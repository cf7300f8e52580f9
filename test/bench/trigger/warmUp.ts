import { waitUntilIdle } from '../../n8n/executions';
import type { BenchSetup } from './benchSetup';
import { type ContenderName, LAST_NODE } from './contenders';
import { accepting, type Scenario, refusing } from './scenarios';

/** After this time, n8n's compiler and caches no longer affect a measurement. */
const WARM_UP_MS = 1_500;

async function check(bench: BenchSetup, scenario: Scenario): Promise<void> {
	const { error } = await bench.deliver(scenario);
	if (error === undefined) return;
	throw new Error(
		`A ${scenario.signature} delivery to '${scenario.contender}' got the response ${error}`,
	);
}

/** The nodes that ran in the latest execution of a contender. */
async function latestRun(bench: BenchSetup, name: ContenderName): Promise<string[]> {
	const { rest } = bench.setup;
	// The list may not contain an execution whose status is changing.
	await waitUntilIdle(rest, bench.pid);
	const [id = ''] = await rest.executionIds(bench.workflowId(name));
	return Object.keys((await rest.finished(id)).runs);
}

/** Checks that each contender accepts and refuses the right deliveries, and warms n8n up. */
export async function warmUp(bench: BenchSetup): Promise<void> {
	for (const scenario of [...accepting, ...refusing]) {
		await check(bench, scenario);
		if (!scenario.executes) continue;
		const passed = (await latestRun(bench, scenario.contender)).includes(LAST_NODE);
		if (passed === (scenario.signature === 'genuine')) continue;
		const what = passed ? 'accepts a forged delivery' : 'does not accept a genuine delivery';
		throw new Error(`The workflow '${scenario.contender}' ${what}`);
	}
	for (const scenario of [...accepting, ...refusing]) await bench.burst(scenario, WARM_UP_MS);
}
