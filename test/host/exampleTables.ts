import { randomUUID } from 'node:crypto';
import { DataTable } from '../n8n/dataTable';
import { thisHost } from '../n8n/hosts';
import { postJson } from '../n8n/postJson';
import type { WorkflowNode } from '../n8n/rest';
import { row, webhook } from '../n8n/workflows';
import {
	ExampleFlow,
	fault,
	outputOf,
	pictureUrl,
	posts,
	publish,
	setup,
	texts,
} from './exampleFlow';
import { type Item, until } from './postFlow';

const STATUS = 'Post Status Changed';

/** The wait after a report, which is too long for a test. It is longer than `SLOW_MS`. */
const soon = { 'Wait 30 Seconds': { amount: 5 } };

const SLOW_MS = 1000;

/** A workflow that calls another one for each post of a request. */
async function callerOf({ id }: ExampleFlow): Promise<{ id: string; url: string }> {
	const path = randomUUID();
	const node = (name: string, typeVersion: number, parameters: Item): WorkflowNode => ({
		...{ name, type: `n8n-nodes-base.${name.replaceAll(' ', '')}`, typeVersion, parameters },
	});
	const workflow = row(
		'caller',
		{ ...webhook(path), parameters: { httpMethod: 'POST', path, options: {} } },
		node('split Out', 1, { fieldToSplitOut: 'body.posts', options: {} }),
		node('split In Batches', 3, { options: {} }),
		node('execute Workflow', 1.2, {
			source: 'database',
			workflowId: { __rl: true, mode: 'id', value: id },
			options: {},
		}),
	);
	const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
	Object.assign(workflow.connections, {
		'split In Batches': { main: [[], to('execute Workflow')] },
		'execute Workflow': { main: [to('split In Batches')] },
	});
	const created = await setup.rest.createWorkflow(workflow);
	await setup.rest.activate(created);
	return { id: created.id, url: `${setup.n8n.url}/webhook/${path}` };
}

/** Tests the example with a table of posts. */
function testTable(): void {
	let flow: ExampleFlow;
	let table: DataTable;
	beforeAll(async () => {
		flow = await ExampleFlow.scheduled('one-table-for-every-post', soon);
		table = await DataTable.of(setup.rest, 'posts');
	});

	const run = async () => await flow.run('Seven Times a Day');
	const states = async () => (await table.rows()).map(({ status }) => status);
	const rowOf = async (text: string) => (await table.rows()).find((one) => one.text === text)!;
	const add = async (...added: string[]) =>
		await table.add(...added.map((text) => ({ text, media_url: pictureUrl(), status: 'waiting' })));

	it('posts the oldest row, and saves the result', async () => {
		await add('q1', 'q2', 'q3', 'q4');
		await run();
		expect(await states()).toEqual(['accepted', 'waiting', 'waiting', 'waiting']);
		fault('q2', 'refused', { code: 1002, message: '图片不符合要求' });
		fault('q3', 'server-error-after');
		await run();
		await run();
		setup.emulator.revokeTokens();
		const operation = 'getAccessToken';
		setup.emulator.fault({ operation, kind: 'refused', times: Infinity });
		await run();
		setup.emulator.clearFaults();
		expect(await states()).toEqual(['accepted', 'failed', 'check', 'waiting']);
		await run();
		await run();
		expect((await rowOf('q2')).note).toContain('图片不符合要求');
		const { action_sn } = posts('q4')[0]!;
		expect(await rowOf('q4')).toMatchObject({ status: 'accepted', action_sn });
	});

	it('posts no row twice if n8n stopped before it updated the row', async () => {
		const [first, , unknown] = await table.rows();
		await table.change(first!.id, { status: 'waiting', action_sn: '' });
		await table.change(unknown!.id, { status: 'again' });
		await run();
		await run();
		expect((await rowOf('q1')).note).toMatch(/'row \d+ of \S+Z' was posted before/);
		expect(await states()).toEqual(['check', 'failed', 'check', 'accepted']);
		expect(texts('q')).toEqual(['q1', 'q3', 'q4']);
	});

	it('saves what the platform reports, and posts a failed row again when asked to', async () => {
		await publish();
		await setup.rest.activate(flow);
		setup.emulator.setWebhook(flow.url(STATUS));
		await table.add({ title: 'A hut', link: 'https://blog.example.com/hut', status: 'waiting' });
		const { id } = (await table.rows()).at(-1)!;
		await table.change(id, { text: 'q5', media_url: pictureUrl('fails-to-load.jpg') });
		await run();
		await publish();
		const { message: reason, action_sn } = posts('q5')[0]!;
		expect(await flow.output('Write the Message')).toEqual({
			...{ title: 'A hut', account: 'acc_1024', reason },
			message:
				`A post failed: “A hut”, account acc_1024.\nThe platform's reason: ${reason}\n` +
				`Change the media in row ${id} of the table, and set its status to again.`,
		});
		expect(await rowOf('q5')).toMatchObject({ status: 'failed', note: reason, action_sn });
		await table.change(id, { media_url: pictureUrl(), status: 'again' });
		await run();
		expect(texts('q5')).toEqual(Array(2).fill('q5\n\nhttps://blog.example.com/hut'));
		await publish();
		await until(async () => (await rowOf('q5')).status === 'published', 60_000);
		expect(await rowOf('q5')).toMatchObject({ note: '', action_sn: posts('q5')[1]!.action_sn });
		// A report about the first post changes nothing.
		await flow.report(STATUS, { action_sn, status: 'failed', social_account_id: 'acc_1024' });
		await flow.ended('Update the Row', 3);
		await table.change(id, { status: 'again' });
		await run();
		expect(await rowOf('q5')).toMatchObject({ status: 'check' });
		expect(texts('q5')).toHaveLength(2);
		setup.emulator.setWebhook(undefined);
	});

	it('also posts rows whose status is written in another way, or missing', async () => {
		const media_url = pictureUrl();
		const given = [{ status: ' Waiting' }, { status: '' }, {}];
		await table.add(
			...given.map((more, index) => ({ text: `other ${index}`, media_url, ...more })),
		);
		for (let left = given.length; left > 0; left--) await run();
		expect(texts('other')).toEqual(['other 0', 'other 1', 'other 2']);
		expect((await states()).slice(-3)).toEqual(['accepted', 'accepted', 'accepted']);
	});
}

/**
 * Tests the examples with a table of posts, and with executions that wait for a report.
 *
 * @returns a function that tests executions without a report. n8n looks once a minute whether a wait is over.
 */
export function testTables(): () => void {
	let impatient: ExampleFlow;
	let notInTime: Item;
	const postWith = (key: string, picture?: string) => ({
		key,
		text: `Waiting for ${key}`,
		media_url: pictureUrl(picture),
	});
	const postOf = (key: string) => posts(`Waiting for ${key}`)[0];
	/** Calls the example for each of these posts, one after the other. */
	const callFor = async ({ url }: { url: string }, ...requested: Item[]) =>
		await postJson(url, { posts: requested });
	const activate = async (parameters = {}) =>
		await ExampleFlow.active('create-and-wait-for-the-result', { ...soon, ...parameters });
	beforeAll(async () => {
		impatient = await activate({
			'Wait for the Result': { resumeAmount: 5, resumeUnit: 'seconds' },
		});
		await callFor(await callerOf(impatient), postWith('nothing'));
		await until(() => postOf('nothing') !== undefined);
		notInTime = { action_sn: postOf('nothing')!.action_sn, outcome: 'timed out', reason: '' };
		await publish();
	});

	describe('The example with a table of posts', testTable);

	return () =>
		describe('The example that waits for the result', () => {
			let flow: ExampleFlow;
			let caller: { id: string; url: string };
			beforeAll(async () => {
				flow = await activate();
				caller = await callerOf(flow);
				// The workflow must not receive reports about posts of other examples.
				await publish();
				setup.emulator.setWebhook(flow.url(STATUS));
			});
			afterAll(() => setup.emulator.setWebhook(undefined));

			const publishOne = async (key: string) => {
				await until(() => postOf(key) !== undefined);
				await until(async () => (await flow.waiting()) === 1, 60_000);
				await publish();
			};
			/** What the caller receives for each post in its newest execution. */
			const results = async () => {
				const [id] = await setup.rest.executionIds(caller.id);
				const { status, runs } = await setup.rest.finished(id!);
				expect(status).toBe('success');
				return (runs['execute Workflow'] ?? []).map(({ data }) => data!.main[0]![0]!.json);
			};

			it('returns the outcome of each post, one after the other', async () => {
				await callFor(caller, postWith('w1'), postWith('w2', 'fails-to-load.jpg'));
				await publishOne('w1');
				await publishOne('w2');
				const { message: reason } = postOf('w2')!;
				const returned = [
					{ action_sn: postOf('w1')!.action_sn, outcome: 'published', reason: '' },
					{ action_sn: postOf('w2')!.action_sn, outcome: 'failed', reason },
				];
				const ended = await flow.ended('Result', 2);
				expect(ended.flatMap((one) => outputOf(one, 'Result')).reverse()).toEqual(returned);
				const received = [postWith('w1'), postWith('w2', 'fails-to-load.jpg')];
				const { returnsResultsAfterWaits } = thisHost.behaviour;
				expect(await results()).toMatchObject(returnsResultsAfterWaits ? returned : received);
			});

			it('returns the outcome although the report arrives before the response', async () => {
				fault('Waiting for early', 'slow', { delayMs: SLOW_MS });
				await callFor(caller, postWith('early'));
				await until(() => postOf('early') !== undefined);
				await publish();
				const { action_sn } = postOf('early')!;
				const returned = { action_sn, outcome: 'published', reason: '' };
				expect(await flow.output('Result', 3)).toEqual(returned);
			});

			it('returns at once if nothing was posted or the key was used before, and posts none twice', async () => {
				fault('Waiting for lost', 'server-error-after');
				const bare = { key: 'bare', text: 'Waiting' };
				await callFor(caller, postWith('w1'), postWith('lost'), bare, postWith('lost'));
				await flow.ended('Result', 4);
				const reason = expect.stringMatching(/'w1' was posted before/) as string;
				const unknown = {
					outcome: 'unknown',
					reason: expect.stringMatching(/not known/) as string,
				};
				expect(await results()).toMatchObject([
					{ action_sn: '', outcome: 'skipped', reason },
					unknown,
					{ outcome: 'invalid', reason: expect.stringContaining("'Media'") as string },
					unknown,
				]);
				for (const key of ['w1', 'lost']) expect(posts(`Waiting for ${key}`)).toHaveLength(1);
			});

			it('returns that no report arrived in time', async () => {
				expect(await impatient.output('Result')).toEqual(notInTime);
			});

			it('keeps no rows of reported posts', async () => {
				const table = await DataTable.of(setup.rest, 'posts_waiting');
				expect(await table.rows()).toMatchObject([{ action_sn: notInTime.action_sn }]);
			});
		});
}
