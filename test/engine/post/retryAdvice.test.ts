import type { WorkflowExecuteMode } from 'n8n-workflow';
import type { FaultKind } from '../../emulator';
import { retryOnFail } from '../harness/ledgerOf';
import { eachText, itemsOf, textOf } from '../harness/manyPosts';
import { usePosts } from './postSetup';

const { platform, fault } = usePosts();

/** Returns the description of the error after the last of some posts has failed. */
async function adviceAfter(
	kind: FaultKind,
	mode: WorkflowExecuteMode,
	{ count = 2, options = {}, settings = {} } = {},
): Promise<string> {
	fault(kind, { bodyHas: textOf(count - 1), times: 9 });
	const { error } = await platform.run(eachText({ maxConcurrentRequests: 1, ...options }), {
		...{ mode, settings, executionId: '17', workflowId: `advice-${mode}-${kind}` },
		items: itemsOf(count),
	});
	return error!.description!;
}

const keyed = { options: { oncePerKey: '={{ $json.text }}' } };

describe('After a failure, the advice about retries', () => {
	const OTHERS = 'Any other execution, also a retry of one that calls this workflow,';

	test.each<[WorkflowExecuteMode, count: number]>([
		['trigger', 2],
		['integrated', 1],
		['integrated', 2],
	])('names the execution to retry: %s, %i items', async (mode, count) => {
		expect(await adviceAfter('refused', mode, { count })).toContain(
			`A retry of execution 17 sends only the posts that were not accepted.\n${OTHERS} sends all of them again.`,
		);
	});

	test('warns of the retry of the calling execution when the credential cannot be used', async () => {
		platform.credential.baseUrl = '';
		expect(await adviceAfter('refused', 'integrated', { count: 1 })).toContain(
			`${OTHERS} sends all of them again.`,
		);
	});

	test('does not offer a retry that would send nothing', async () => {
		const advice = await adviceAfter('reset-after', 'trigger');
		expect(advice).toContain(
			`All posts whose outcome is known were accepted.\n${OTHERS} sends all of them again.`,
		);
		expect(advice).not.toContain('sends only the posts');
	});

	test.each<FaultKind>(['refused', 'reset-after'])(
		'is left out where the editor runs the workflow: %s',
		async (kind) => {
			const advice = await adviceAfter(kind, 'manual', { settings: retryOnFail });
			expect(advice).not.toMatch(/A retry of execution|and retry/);
			expect(advice).toMatch(/Any other execution.* (sends all of them|may send it) again\./);
		},
	);

	test.each<WorkflowExecuteMode>(['trigger', 'integrated', 'manual'])(
		'does not say that accepted posts with keys are sent again: %s',
		async (mode) => {
			for (const kind of ['refused', 'reset-after'] as const) {
				const advice = await adviceAfter(kind, mode, keyed);
				expect(advice).not.toMatch(/sends all of them again|may send it again/);
			}
		},
	);
});
