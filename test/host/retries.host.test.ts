import { items, numbers, PostFlow, postOfText, retryOnFail } from './postFlow';
import { thisHost } from '../n8n/hosts';
import { usePostSetup } from './postSetup';
import type { Credential } from '../n8n/rest';
import { SavedFlow } from './savedFlow';
import type { Setup } from '../n8n/setup';
import { row } from '../n8n/workflows';

let setup: Setup;
let credential: Credential;
let flow: PostFlow;
usePostSetup((set) => ({ setup, credential, flow } = set));

const oneByOne = { maxConcurrentRequests: 1 };

describe('Retry on Fail', () => {
	it('sends accepted items once, the refused item again, and those after it once', async () => {
		flow.fault('3', { kind: 'refused', times: 2 });
		const more = { options: oneByOne, settings: retryOnFail };
		const execution = await flow.run(items(...numbers(5)), more);
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '3', '3', '3', '4', '5']);
		expect(flow.posted()).toStrictEqual(numbers(5));
		expect(flow.texts(execution)).toStrictEqual(numbers(5));
	});

	it('resends only the first item with the error output', async () => {
		flow.fault('1', { kind: 'refused', times: Infinity });
		flow.fault('3', { kind: 'server-error-after' });
		const execution = await flow.run(items(...numbers(4)), {
			options: oneByOne,
			settings: { ...retryOnFail, onError: 'continueErrorOutput' },
		});
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '3', '4', '1', '1']);
		expect(flow.texts(execution, 0)).toStrictEqual(['2', '4']);
		expect(flow.texts(execution, 1)).toStrictEqual(['refused', 'unknown']);
	});
});

describe('A retry in the list of executions', () => {
	const failed = async (texts: string[]) => {
		const node = postOfText(credential, { options: oneByOne });
		const produced = await SavedFlow.produce(setup, node, items(...texts));
		expect(produced.execution.status).toBe('error');
		return produced;
	};

	it('does not resend accepted items', async () => {
		flow.fault('2', { kind: 'refused' });
		const { execution } = await failed(numbers(4));
		expect(flow.sent()).toStrictEqual(['1', '2']);
		const again = await setup.rest.retry(execution.id);
		expect(again.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '2', '3', '4']);
		expect(flow.texts(again)).toStrictEqual(numbers(4));
	});

	it('does not resend accepted items with the current workflow, in which the failed item was corrected', async () => {
		flow.fault('bad', { kind: 'refused', times: Infinity });
		const texts = ['1', 'bad', '3'];
		const { flow: saved, execution } = await failed(texts);
		await saved.set({ ...saved.parameters, text: "={{ $json.text.replace('bad', 'good') }}" });
		const again = await setup.rest.retry(execution.id, 'saved');
		expect(again.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', 'bad', 'good', '3']);
		expect(flow.texts(again)).toStrictEqual(['1', 'good', '3']);
	});

	it('resends posts with an unknown outcome only with Resend If Outcome Unknown', async () => {
		flow.fault('2', { kind: 'reset-after' });
		const { flow: saved, execution } = await failed(numbers(3));
		const again = await setup.rest.retry(execution.id);
		expect(again.error?.message).toMatch(/not known whether/);
		expect(flow.sent()).toStrictEqual(['1', '2', '3']);
		const options = { ...oneByOne, resendUnknown: true };
		await saved.set({ ...saved.parameters, options });
		const third = await setup.rest.retry(again.id, 'saved');
		expect(third.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '3', '2']);
	});

	it('does not repeat a post of another retry of the same execution', async () => {
		flow.fault('2', { kind: 'refused', times: 2 });
		const { execution: a } = await failed(numbers(3));
		const b = await setup.rest.retry(a.id);
		expect(b.status).toBe('error');
		expect((await setup.rest.retry(b.id)).status).toBe('success');
		for (const older of [a, b]) {
			const again = await setup.rest.retry(older.id);
			expect(again.status).toBe('success');
			expect(flow.texts(again)).toStrictEqual(['1', 'skipped', 'skipped']);
			expect(flow.items(again)[1]).toMatchObject({
				note: 'Not posted, because another retry of this execution published it.',
			});
		}
		expect(flow.sent()).toStrictEqual(['1', '2', '2', '2', '3']);
	});

	it('names the execution of a called workflow, because the calling one has no record of accepted posts', async () => {
		flow.fault('2', { kind: 'refused' });
		const called = row(
			'called',
			{
				name: 'When called',
				type: 'n8n-nodes-base.executeWorkflowTrigger',
				typeVersion: 1.1,
				parameters: { inputSource: 'passthrough' },
			},
			postOfText(credential, { options: oneByOne }),
		);
		const saved = await setup.rest.createWorkflow(called);
		if (thisHost.behaviour.requiresPublishing) await setup.rest.activate(saved);
		const call = {
			name: 'Call',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: { workflowId: { __rl: true, mode: 'id', value: saved.id }, options: {} },
		};
		const { execution } = await SavedFlow.produce(setup, call, items(...numbers(2)));
		expect(execution.status).toBe('error');
		const advice =
			/Retry execution (\w+) of this workflow to send only .+ A retry of the execution that called it sends all of them again\./;
		const [, calledId] = advice.exec(execution.error?.description ?? '') ?? [];
		expect((await setup.rest.retry(calledId!)).status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '2']);
		expect((await setup.rest.retry(execution.id)).status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '2', '1', '2']);
	});

	it('needs the original workflow if the node was renamed, and sends only the other posts', async () => {
		flow.fault('2', { kind: 'refused' });
		const workflow = flow.workflow(items(...numbers(3)), { options: oneByOne });
		const { id } = await setup.rest.createWorkflow(workflow);
		const execution = await setup.rest.run(id, 'Start');
		const { nodes, connections } = workflow;
		const renamed = JSON.stringify({ nodes, connections }).replaceAll('"Post"', '"Publish"');
		await setup.rest.updateWorkflow(id, JSON.parse(renamed) as typeof workflow);
		await expect(setup.rest.retry(execution.id, 'saved')).rejects.toThrow(
			'Could not find the node',
		);
		expect((await setup.rest.retry(execution.id, 'original')).status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '2', '3']);
	});
});

describe('Create in a loop', () => {
	it('posts in each iteration, even equal items', async () => {
		flow.fault('4', { kind: 'refused' });
		const texts = ['same', 'same', '3', '4', 'same', '6'];
		const workflow = flow.loop(items(...texts), { options: oneByOne, settings: retryOnFail });
		const execution = await (await SavedFlow.of(setup, workflow)).run();
		expect(flow.sent()).toStrictEqual(['same', 'same', '3', '4', '4', 'same', '6']);
		expect(flow.texts(execution, 0, 'Loop')).toStrictEqual(texts);
	});
});
