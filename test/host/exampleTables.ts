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

/**
 * Tests the examples with a queue in a table, and with executions that wait for a report.
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

	it('The example with a queue in a table posts the oldest row, and notes the result', async () => {
		const flow = await ExampleFlow.scheduled('queue-in-a-table');
		const table = await DataTable.of(setup.rest, 'post_queue');
		const media_url = pictureUrl();
		const rows = ['q1', 'q2', 'q3', 'q4'].map((text) => ({ text, media_url, status: 'waiting' }));
		await table.add(...rows);
		const run = async () => await flow.run('Seven Times a Day');
		const states = async () => (await table.rows()).map(({ status }) => status);
		await run();
		expect(await states()).toEqual(['posted', 'waiting', 'waiting', 'waiting']);
		fault('q2', 'refused', { code: 1002, message: '图片不符合要求' });
		fault('q3', 'server-error-after');
		await run();
		await run();
		setup.emulator.revokeTokens();
		const operation = 'getAccessToken';
		setup.emulator.fault({ operation, kind: 'refused', times: Infinity });
		await run();
		setup.emulator.clearFaults();
		expect(await states()).toEqual(['posted', 'failed', 'check', 'waiting']);
		await run();
		await run();
		const [first, refused, unknown, last] = await table.rows();
		expect(refused!.note).toContain('图片不符合要求');
		expect(last).toMatchObject({ status: 'posted', action_sn: posts('q4')[0]!.action_sn });
		// n8n may stop before it updates a row.
		await table.change(first!.id, { status: 'waiting', action_sn: '' });
		await table.change(unknown!.id, { status: 'waiting' });
		await run();
		await run();
		expect((await table.rows())[0]).toMatchObject({
			note: expect.stringMatching(/'queue row \d+ of \S+Z' was posted before/) as string,
		});
		expect(await states()).toEqual(['posted', 'failed', 'check', 'posted']);
		expect(texts('q')).toEqual(['q1', 'q3', 'q4']);
	});

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
