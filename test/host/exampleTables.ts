import { DataTable } from '../n8n/dataTable';
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

const WAIT = 'Wait for the Report';

const STATUS = 'Post Status Changed';

/** The wait after a report, which is too long for a test. */
const soon = { 'Wait 30 Seconds': { amount: 5 } };

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
}

/**
 * Tests the examples with a table of posts, and with executions that wait for a report.
 *
 * @returns a function that tests executions without a report. n8n looks once a minute whether a wait is over.
 */
export function testTables(): () => void {
	let impatient: ExampleFlow;
	const start = async (parameters = {}) =>
		await ExampleFlow.active('create-and-wait-for-the-result', parameters);
	const request = async (flow: ExampleFlow, ...requested: Item[]) =>
		await flow.send('Posts Requested', { posts: requested });
	const postWith = (key: string, picture?: string) => ({
		key,
		text: `Waiting for ${key}`,
		media_url: pictureUrl(picture),
	});
	const postOf = (key: string) => posts(`Waiting for ${key}`)[0];
	beforeAll(async () => {
		impatient = await start({
			'Posts Requested': { path: 'posts-requested-soon' },
			[WAIT]: { resumeAmount: 5, resumeUnit: 'seconds' },
		});
		await request(impatient, postWith('nothing'));
		await until(() => postOf('nothing') !== undefined);
		await publish();
	});

	describe('The example with a table of posts', testTable);

	return () =>
		describe('The example that waits for the result', () => {
			let flow: ExampleFlow;
			beforeAll(async () => {
				flow = await start();
				// The workflow must not receive reports about posts of other examples.
				await publish();
				setup.emulator.setWebhook(flow.url('Post Status Changed'));
			});

			const sent = (runs: Item[]) => runs.map(({ action_sn }) => action_sn).sort();

			it('ends as timed out without a report, and saves a late report', async () => {
				const { action_sn } = postOf('nothing')!;
				expect(await impatient.output('Timed Out')).toMatchObject({
					action_sn,
					outcome: 'timed out',
				});
				const late = { action_sn, status: 'failed', message: 'too late' };
				await impatient.report('Post Status Changed', late);
				const [report] = await impatient.ended('Save the Report');
				expect(await impatient.output('Save the Report')).toMatchObject({
					...{ action_sn, outcome: 'failed', reason: 'too late' },
				});
				expect(report!.runs).not.toHaveProperty(['Resume Execution']);
			});

			it('continues each execution when its report arrives', async () => {
				// The response to this request arrives after the report.
				fault('Waiting for early', 'slow', { delayMs: 12_000 });
				await request(
					flow,
					...[postWith('w1'), postWith('w2', 'fails-to-load.jpg'), postWith('w3')],
					postWith('early'),
				);
				await until(() => postOf('early') !== undefined);
				await until(async () => (await flow.waiting()) === 3, 60_000);
				await publish();
				const published = await flow.ended('Published', 2);
				expect(sent(published.flatMap((one) => outputOf(one, 'Published')))).toEqual(
					[postOf('w1')!.action_sn, postOf('w3')!.action_sn].sort(),
				);
				const [failed] = await flow.ended('Failed');
				const { action_sn, message: reason } = postOf('w2')!;
				expect(await flow.output('Failed')).toMatchObject({ action_sn, reason });
				for (const { runs } of [...published, failed!]) expect(runs).toHaveProperty([WAIT]);
			});

			it('reports posts that were not sent or are not known, and posts none twice', async () => {
				fault('Waiting for lost', 'server-error-after');
				await request(flow, postWith('w1'), postWith('lost'), { key: 'bare', text: 'Waiting' });
				await flow.ended('Already Posted');
				expect(posts('Waiting for w1')).toHaveLength(1);
				const ends = await flow.ended('Not Posted', 2);
				const outcomes = ends.flatMap((one) =>
					outputOf(one, 'Not Posted').map(({ details }) => (details as Item).outcome),
				);
				expect(outcomes.sort()).toEqual(['invalid', 'unknown']);
				await publish();
				const { action_sn } = postOf('lost')!;
				const reports = await DataTable.of(setup.rest, 'posts_reported');
				await until(async () => (await reports.rows()).some((row) => row.action_sn === action_sn));
			});

			it('does not wait if the report has already arrived', async () => {
				const [execution] = await flow.ended('Published', 3);
				const { action_sn } = postOf('early')!;
				expect(await flow.output('Published', 3)).toMatchObject({
					action_sn,
					outcome: 'published',
				});
				expect(execution!.runs).not.toHaveProperty([WAIT]);
				const waiting = await DataTable.of(setup.rest, 'posts_waiting');
				expect(await waiting.rows()).toEqual([]);
			});
		});
}
