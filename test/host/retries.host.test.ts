import { startEmulator, type FaultKind } from '../emulator';
import {
	items,
	numbers,
	pause,
	PostFlow,
	postOfText,
	retryOnFail,
	textField,
	type Item,
} from './postFlow';
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
const refusedTwice = { kind: 'refused', times: 2 } as const;

/** Faults with an unknown outcome. The platform accepts the post in all of them. */
const UNKNOWN: FaultKind[] = ['server-error-after', 'reset-after', 'no-answer', 'truncated-json'];

/** A timeout in seconds that only the fault reaches. */
const timeoutFor = (kind: FaultKind) => (kind === 'no-answer' ? 5 : 60);

describe('Retry on Fail', () => {
	it('sends accepted items once, the refused item again, and those after it once', async () => {
		flow.fault('3', refusedTwice);
		const more = { options: oneByOne, settings: retryOnFail };
		const execution = await flow.run(items(...numbers(5)), more);
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '3', '3', '3', '4', '5']);
		expect(flow.posted()).toStrictEqual(numbers(5));
		expect(flow.texts(execution)).toStrictEqual(numbers(5));
	});

	it('sends accepted items once with five concurrent requests', async () => {
		flow.fault('3', refusedTwice);
		setup.emulator.fault({ kind: 'slow', delayMs: 200, times: Infinity, operation: 'createPost' });
		const more = { options: { maxConcurrentRequests: 5 }, settings: retryOnFail };
		const execution = await flow.run(items(...numbers(8)), more);
		expect(execution.status).toBe('success');
		const sent = ['1', '2', '3', '3', '3', '4', '5', '6', '7', '8'];
		expect(flow.sent().sort()).toStrictEqual(sent);
		expect(flow.posted().sort()).toStrictEqual(numbers(8));
		expect(flow.texts(execution)).toStrictEqual(numbers(8));
	});

	it.each(UNKNOWN)(
		'does not resend a post with an unknown outcome, and sends the others: %s',
		async (kind) => {
			flow.fault('2', { kind });
			const more = { options: { ...oneByOne, timeout: timeoutFor(kind) }, settings: retryOnFail };
			const execution = await flow.run(items(...numbers(3)), more);
			expect(execution.status).toBe('error');
			expect(execution.error?.message).toMatch(/not known whether/);
			expect(execution.error?.description).toMatch(/2 accepted earlier.*1 unknown/);
			expect(flow.sent()).toStrictEqual(['1', '2', '3']);
			expect(flow.posted()).toStrictEqual(['1', '2', '3']);
		},
	);

	it.each(UNKNOWN)(
		'resends a post with an unknown outcome with Resend If Outcome Unknown: %s',
		async (kind) => {
			flow.fault('2', { kind });
			const options = { ...oneByOne, timeout: timeoutFor(kind), resendUnknown: true };
			const execution = await flow.run(items(...numbers(3)), { options, settings: retryOnFail });
			expect(execution.status).toBe('success');
			expect(flow.sent()).toStrictEqual(['1', '2', '2', '3']);
			expect(flow.posted()).toStrictEqual(['1', '2', '2', '3']);
			expect(flow.texts(execution)).toStrictEqual(numbers(3));
		},
	);

	it.each([true, false])(
		'posts everything when the platform is available again (with a token: %s)',
		async (hasToken) => {
			const { appSecret } = setup.emulator;
			const first = await startEmulator({ appSecret });
			const own = await setup.credential('restarted', { baseUrl: first.url });
			if (hasToken) await setup.rest.testCredential(own);
			await first.stop();
			const more = { settings: { retryOnFail: true, maxTries: 5, waitBetweenTries: 3000 } };
			const workflow = new PostFlow(setup, own).workflow(items(...numbers(3)), more);
			const executionId = await (await SavedFlow.of(setup, workflow)).start();
			await pause(4_000);
			const again = await startEmulator({ appSecret, port: Number(new URL(first.url).port) });
			const execution = await setup.rest.finished(executionId).finally(() => again.stop());
			const made = again.posts.map(({ request }) => (request as { text: string }).text);
			expect(execution.status).toBe('success');
			expect(execution.runs.Post?.[0]?.executionTime).toBeGreaterThan(2_900);
			expect(made.sort()).toStrictEqual(numbers(3));
		},
	);

	it('recognizes an item whose time differs at each attempt', async () => {
		flow.fault('2', { kind: 'refused' });
		const publishAt = '={{ $now.plus({ hours: 1 }).toISO() }}';
		const execution = await flow.run(items(...numbers(3)), {
			parameters: { publishTime: 'at', publishAt },
			options: oneByOne,
			settings: { ...retryOnFail, waitBetweenTries: 1100 },
		});
		expect(flow.sent()).toStrictEqual(['1', '2', '2', '3']);
		const dates = setup
			.bodies()
			.map((body) => (JSON.parse(body) as { post_date: string }).post_date);
		expect(new Set(dates.slice(1, 3)).size).toBe(2);
		expect(flow.texts(execution)).toStrictEqual(numbers(3));
	});
});

describe('Retry on Fail with the error output, after the first item failed,', () => {
	const onError = (output: string, options = {}) => ({
		options: { ...oneByOne, ...options },
		settings: { ...retryOnFail, onError: output },
	});

	it('resends only the first item', async () => {
		flow.fault('1', { kind: 'refused', times: Infinity });
		flow.fault('3', { kind: 'server-error-after' });
		const execution = await flow.run(items(...numbers(4)), onError('continueErrorOutput'));
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '3', '4', '1', '1']);
		expect(flow.texts(execution, 0)).toStrictEqual(['2', '4']);
		expect(flow.texts(execution, 1)).toStrictEqual(['refused', 'unknown']);
	});

	it('resends nothing when the outcome is unknown', async () => {
		flow.fault('1', { kind: 'server-error-after' });
		const execution = await flow.run(items(...numbers(3)), onError('continueErrorOutput'));
		expect(flow.sent()).toStrictEqual(numbers(3));
		expect(flow.texts(execution, 0)).toStrictEqual(['2', '3']);
		expect(flow.items(execution, 1)).toMatchObject([
			{
				error: expect.stringMatching(/not known whether/) as string,
				details: {
					outcome: 'unknown',
					item_index: 0,
					social_account_id: 'acc_1',
					sent_at: expect.stringMatching(/^\d{4}-.+Z$/) as string,
				},
			},
		]);
	});

	it('outputs all items in their order when errors stay in the output', async () => {
		flow.fault('1', { kind: 'refused', times: 2 });
		flow.fault('2', { kind: 'refused', times: Infinity });
		const execution = await flow.run(items(...numbers(3)), onError('continueRegularOutput'));
		expect(flow.sent()).toStrictEqual(['1', '2', '3', '1', '2', '1', '2']);
		expect(flow.texts(execution)).toStrictEqual(['1', 'refused', '3']);
	});
});

describe('A retry in the list of executions', () => {
	const failed = async (texts: string[], options: Item = oneByOne) => {
		const node = postOfText(credential, { options });
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

	it('keeps an unknown outcome when the post is sent again and refused', async () => {
		flow.fault('2', { kind: 'reset-after' });
		const { flow: saved, execution } = await failed(numbers(3));
		const options = { ...oneByOne, resendUnknown: true };
		await saved.set({ ...saved.parameters, options });
		flow.fault('2', { kind: 'refused', message: 'No quota left' });
		const again = await setup.rest.retry(execution.id, 'saved');
		expect(again.error?.message).toMatch(/not known whether/);
		expect(again.error?.description).toContain(
			'Sending it again did not succeed. The platform refused',
		);
		expect(again.error?.description).toContain('No quota left');
		await saved.set({ ...saved.parameters, options: oneByOne });
		const third = await setup.rest.retry(again.id, 'saved');
		expect(third.error?.message).toMatch(/not known whether/);
		expect(flow.sent()).toStrictEqual(['1', '2', '2', '3']);
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
				first: { outcome: 'accepted' },
			});
		}
		expect(flow.sent()).toStrictEqual(['1', '2', '2', '2', '3']);
	});

	it('posts each item once when it is started several times at once', async () => {
		flow.fault('2', { kind: 'refused' });
		const { execution } = await failed(numbers(3));
		const retries = [1, 2, 3].map(async () => await setup.rest.retry(execution.id));
		for (const { status } of await Promise.all(retries)) expect(status).toBe('success');
		expect(flow.posted().sort()).toStrictEqual(numbers(3));
	});

	it('outputs accepted posts whose publish time has passed, and sends the others at a later time', async () => {
		flow.fault('2', { kind: 'refused' });
		const at = new Date(Date.now() + 25_000).toISOString();
		const parameters = { publishTime: 'at', publishAt: at };
		const node = postOfText(credential, { options: oneByOne, parameters });
		const produced = await SavedFlow.produce(setup, node, items(...numbers(2)));
		expect(flow.sent()).toStrictEqual(['1', '2']);
		await pause(Date.parse(at) - Date.now() + 500);
		const late = await setup.rest.retry(produced.execution.id);
		expect(late.error?.message).toMatch(/^Post 2 of 2, “2”: 'Publish At' is in the past/);
		expect(late.error?.description).toMatch(/^Nothing was sent for this item\./);
		const publishAt = new Date(Date.now() + 3_600_000).toISOString();
		await produced.flow.set({ ...produced.flow.parameters, publishAt });
		const again = await setup.rest.retry(late.id, 'saved');
		expect(again.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '2']);
		expect(flow.texts(again)).toStrictEqual(['1', '2']);
	});

	it('does not resend accepted posts when a field of all items was edited', async () => {
		flow.fault('2', { kind: 'refused' });
		const { flow: saved, execution } = await failed(numbers(2));
		const edited = { ...saved.parameters, text: "={{ $json.text + '!' }}" };
		await saved.set(edited);
		const again = await setup.rest.retry(execution.id, 'saved');
		expect(again.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '2!']);
		await saved.set({ ...edited, options: { ...oneByOne, resendEdited: true } });
		const resent = await setup.rest.retry(execution.id, 'saved');
		expect(resent.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '2!', '1!']);
		expect(flow.texts(resent)).toStrictEqual(['1!', 'skipped']);
	});

	it('runs a called workflow again, which has no record of accepted posts', async () => {
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
		expect((await setup.rest.retry(execution.id)).status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '1', '2']);
	});

	it('does not post the items of a called workflow again with Deduplication Key', async () => {
		flow.fault('2', { kind: 'refused' });
		const { execution } = await failed(numbers(3), { ...oneByOne, oncePerKey: textField });
		expect((await setup.rest.retry(execution.id)).status).toBe('success');
		const third = await setup.rest.retry(execution.id);
		expect(third.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['1', '2', '2', '3']);
		expect(flow.texts(third)).toStrictEqual(['1', 'skipped', 'skipped']);
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
	it.each(['success', 'refused'])(
		'posts in each iteration, even equal items (%s)',
		async (firstAnswer) => {
			if (firstAnswer === 'refused') flow.fault('4', { kind: 'refused' });
			const texts = ['same', 'same', '3', '4', 'same', '6'];
			const workflow = flow.loop(items(...texts), { options: oneByOne, settings: retryOnFail });
			const execution = await (await SavedFlow.of(setup, workflow)).run();
			expect(execution.status).toBe('success');
			const tried = firstAnswer === 'refused' ? ['4', '4'] : ['4'];
			expect(flow.sent()).toStrictEqual(['same', 'same', '3', ...tried, 'same', '6']);
			expect(flow.posted()).toStrictEqual(texts);
			expect(flow.texts(execution, 0, 'Loop')).toStrictEqual(texts);
		},
	);
});
