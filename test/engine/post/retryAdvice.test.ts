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
	test('names the execution that the user retries', async () => {
		expect(await adviceAfter('refused', 'trigger')).toMatch(
			/Retry this execution to send only the posts that were not accepted\. A new execution sends all of them again\.$/,
		);
	});

	test.each([1, 2])(
		'names the execution of a workflow that another one called with %i items',
		async (count) => {
			expect(await adviceAfter('refused', 'integrated', { count })).toMatch(
				/Retry execution 17 of this workflow to send only the posts that were not accepted\. A retry of the execution that called it sends all of them again\.$/,
			);
		},
	);

	test('names this execution when the outcome is unknown', async () => {
		const advice = await adviceAfter('reset-after', 'integrated');
		expect(advice).toContain(
			"A retry of execution 17 of this workflow does not send it again unless the option 'Resend If Outcome Unknown' is on. A retry of the execution that called it may send it again.",
		);
		expect(advice).toContain('A retry of the execution that called it sends all of them again.');
		expect(advice).not.toContain('this execution');
	});

	test('warns of the retry of the calling execution when the credential cannot be used', async () => {
		platform.credential.baseUrl = '';
		expect(await adviceAfter('refused', 'integrated', { count: 1 })).toContain(
			'A retry of the execution that called it sends all of them again.',
		);
	});

	test('does not offer a retry that would send nothing', async () => {
		const advice = await adviceAfter('reset-after', 'trigger');
		expect(advice).toContain('All other posts were accepted.');
		expect(advice).not.toContain('Retry this execution');
	});

	test.each([
		[{ resendUnknown: true }, "sends it again, because 'Resend If Outcome Unknown' is on."],
		[keyed.options, "does not send it again unless the option 'Resend If Outcome Unknown' is on."],
	])(
		'says whether a retry resends a post of unknown outcome with %j',
		async (options, expected) => {
			const advice = await adviceAfter('reset-after', 'trigger', { options });
			expect(advice).toContain(`A retry of this execution ${expected}`);
		},
	);

	test.each<FaultKind>(['refused', 'reset-after'])(
		'is left out where the editor runs the workflow: %s',
		async (kind) => {
			const advice = await adviceAfter(kind, 'manual', { settings: retryOnFail });
			expect(advice).not.toMatch(/Retry (this )?execution|A retry|and retry/i);
			expect(advice).toMatch(/A new execution (sends all of them|may send it) again\./);
		},
	);

	test.each([
		['the editor', 'manual', /retry/i],
		['a called workflow', 'integrated', /Retry with/],
	] as const)(
		'does not propose a retry with the corrected workflow in %s',
		async (_, mode, advice) => {
			const postOptions = { title: 'x'.repeat(256) };
			const { error } = await platform.run({ postOptions }, { mode, executionId: '17' });
			expect(error!.description).not.toMatch(advice);
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
