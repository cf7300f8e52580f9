import { DataTable } from '../n8n/dataTable';
import { ExampleFlow, outputOf, PUBLISHED_AFTER_SECONDS } from './exampleFlow';
import { type Item, until } from './postFlow';
import type { Setup } from '../n8n/setup';

/** Tests the example whose executions wait for a report of the platform. */
export function testWaiting(setup: () => Setup): void {
	describe('the example that waits for the result', () => {
		const WAIT = 'Wait for the Report';
		const publish = async () => await setup().emulator.advance(PUBLISHED_AFTER_SECONDS);
		let flow: ExampleFlow;
		beforeAll(async () => {
			flow = await (await ExampleFlow.of(setup(), 'create-and-wait-for-the-result')).activate();
			// The workflow must not receive reports about posts of other examples.
			setup().emulator.setWebhook(undefined);
			await publish();
			setup().emulator.setWebhook(flow.url('Post Status Changed'));
		});

		const postWith = (key: string, picture = 'w.jpg') => ({
			key,
			text: `waiting for ${key}`,
			media_url: `${setup().emulator.url}/media/${picture}`,
		});
		const request = async (...posts: object[]) =>
			expect(await flow.send('Posts Requested', { posts })).toBe(200);
		const postOf = (key: string) =>
			setup().emulator.posts.find(
				({ request }) => (request as { text: string }).text === `waiting for ${key}`,
			);
		const waitFor = async (count: number) =>
			await until(async () => (await flow.waiting()) === count, 60_000);

		it('continues each execution when its report arrives', async () => {
			await request(postWith('w1'), postWith('w2', 'fails-to-load.jpg'), postWith('w3'));
			await waitFor(3);
			await publish();
			const published = (await flow.ended('Published', 2)).map((one) => outputOf(one, 'Published'));
			expect(published.flat().map(({ action_sn }) => action_sn)).toEqual(
				expect.arrayContaining([postOf('w1')!.action_sn, postOf('w3')!.action_sn]),
			);
			const [failed] = await flow.ended('Failed', 1);
			const { action_sn, message: reason } = postOf('w2')!;
			expect(outputOf(failed!, 'Failed')).toMatchObject([{ action_sn, outcome: 'failed', reason }]);
			expect(failed!.runs).toHaveProperty([WAIT]);
			const waitingRows = await DataTable.of(setup().rest, 'posts_waiting');
			expect(await waitingRows.rows()).toEqual([]);
		});

		it('matches thirty results to the executions that wait at the same time', async () => {
			const keys = Array.from({ length: 30 }, (_, index) => `many${index}`);
			const before = { published: 2, failed: 1 };
			await request(
				...keys.map((key, index) => postWith(key, index % 3 ? 'w.jpg' : 'fails-to-load.jpg')),
			);
			await waitFor(30);
			await publish();
			const ends = {
				published: await flow.ended('Published', before.published + 20),
				failed: await flow.ended('Failed', before.failed + 10),
			};
			const results = [...ends.published, ...ends.failed].map((one) => [
				one.runs['Create Post']!.at(-1)!.data!.main[0]![0]!.json.action_sn,
				(outputOf(one, 'Published')[0] ?? outputOf(one, 'Failed')[0])!.action_sn,
			]);
			expect(results.filter(([own, result]) => own !== result)).toEqual([]);
			expect(ends.published).toHaveLength(before.published + 20);
			expect(ends.failed).toHaveLength(before.failed + 10);
		});

		it('posts only once when a post is requested twice', async () => {
			await request(postWith('w1'));
			await flow.ended('Already Posted', 1);
			expect(setup().emulator.posts.filter((post) => post === postOf('w1'))).toHaveLength(1);
		});

		it('reports failed and unknown posts, and saves the report about an unknown one', async () => {
			const kind = 'server-error-after' as const;
			setup().emulator.fault({ operation: 'createPost', bodyHas: 'waiting for lost', kind });
			await request(postWith('lost'), { key: 'bare', text: 'waiting for bare' });
			const ends = (await flow.ended('Not Posted', 2)).flatMap((one) =>
				outputOf(one, 'Not Posted'),
			);
			const outcomes = ends.map(({ details }) => (details as Item).outcome);
			expect(outcomes.sort()).toEqual(['invalid', 'unknown']);
			await publish();
			const { action_sn } = postOf('lost')!;
			const reports = await DataTable.of(setup().rest, 'posts_reported');
			await until(async () => (await reports.rows()).some((row) => row.action_sn === action_sn));
		});

		it('does not wait if the report has already arrived', async () => {
			const before = (await flow.ended('Published', 22)).length;
			const kind = 'slow' as const;
			const bodyHas = 'waiting for w4';
			setup().emulator.fault({ operation: 'createPost', bodyHas, kind, delayMs: 12_000 });
			await request(postWith('w4'));
			await until(() => postOf('w4') !== undefined);
			await publish();
			const [execution] = await flow.ended('Published', before + 1);
			const { action_sn } = postOf('w4')!;
			expect(outputOf(execution!, 'Published')).toMatchObject([
				{ action_sn, outcome: 'published' },
			]);
			expect(execution!.runs).not.toHaveProperty([WAIT]);
		});

		it('continues after a restart of n8n', async () => {
			const before = (await flow.ended('Published', 23)).length;
			await request(postWith('w5'));
			await waitFor(1);
			await setup().n8n.stop();
			await setup().restart();
			await publish();
			const [execution] = await flow.ended('Published', before + 1);
			expect(outputOf(execution!, 'Published')).toMatchObject([
				{ action_sn: postOf('w5')!.action_sn },
			]);
		});

		it('ends as timed out without a report, and saves a late report', async () => {
			setup().emulator.setWebhook(undefined);
			const parameters = {
				'Posts Requested': { path: 'posts-requested-soon' },
				[WAIT]: { resumeAmount: 5, resumeUnit: 'seconds' },
			};
			const name = 'create-and-wait-for-the-result';
			const impatient = await (await ExampleFlow.of(setup(), name, { parameters })).activate();
			expect(await impatient.send('Posts Requested', { posts: [postWith('w6')] })).toBe(200);
			const [execution] = await impatient.ended('Timed Out', 1, 120_000);
			expect(outputOf(execution!, 'Timed Out')).toMatchObject([
				{ action_sn: postOf('w6')!.action_sn, outcome: 'timed out' },
			]);
			const { action_sn } = postOf('w6')!;
			const late = { id: 'evt_w6', data: { action_sn, status: 'failed', message: 'too late' } };
			await setup().emulator.deliver(late, { url: impatient.url('Post Status Changed') });
			const [report] = await impatient.ended('Save the Report', 1);
			expect(outputOf(report!, 'Save the Report')).toMatchObject([
				{ action_sn, outcome: 'failed', reason: 'too late' },
			]);
			expect(report!.runs).not.toHaveProperty(['Resume Execution']);
		});
	});
}
