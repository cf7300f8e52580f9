import { DataTable } from '../n8n/dataTable';
import { ExampleFlow, out, SETTLED_AFTER_SECONDS } from './exampleFlow';
import { type Item, until } from './postFlow';
import type { Setup } from '../n8n/setup';

/** Posts whose executions wait for what the platform reports. */
export function waitingIsTested(setup: () => Setup): void {
	describe('the example that waits for the result', () => {
		const WAIT = 'Wait for the Report';
		const settled = async () => await setup().emulator.advance(SETTLED_AFTER_SECONDS);
		let flow: ExampleFlow;
		beforeAll(async () => {
			flow = await (await ExampleFlow.of(setup(), 'create-and-wait-for-the-result')).activate();
			// What other examples have posted is none of its business.
			setup().emulator.setWebhook(undefined);
			await settled();
			setup().emulator.setWebhook(flow.url('Post Status Changed'));
		});

		const wanted = (key: string, picture = 'w.jpg') => ({
			key,
			text: `waiting for ${key}`,
			media_url: `${setup().emulator.url}/media/${picture}`,
		});
		const want = async (...posts: object[]) =>
			expect(await flow.send('Posts Requested', { posts })).toBe(200);
		const postOf = (key: string) =>
			setup().emulator.posts.find(
				({ request }) => (request as { text: string }).text === `waiting for ${key}`,
			);
		const asleep = async (count: number) =>
			await until(async () => (await flow.waiting()) === count, 60_000);

		it('goes on with each of several posts when its report comes', async () => {
			await want(wanted('w1'), wanted('w2', 'fails-to-load.jpg'), wanted('w3'));
			await asleep(3);
			await settled();
			const isOut = (await flow.ended('Published', 2)).map((one) => out(one, 'Published'));
			expect(isOut.flat().map(({ action_sn }) => action_sn)).toEqual(
				expect.arrayContaining([postOf('w1')!.action_sn, postOf('w3')!.action_sn]),
			);
			const [failed] = await flow.ended('Failed', 1);
			const { action_sn, message: reason } = postOf('w2')!;
			expect(out(failed!, 'Failed')).toMatchObject([{ action_sn, outcome: 'failed', reason }]);
			expect(failed!.runs).toHaveProperty([WAIT]);
			const waits = await DataTable.of(setup().rest, 'posts_waiting');
			expect(await waits.rows()).toEqual([]);
		});

		it('gives each of thirty posts that wait at the same time its own result', async () => {
			const keys = Array.from({ length: 30 }, (_, index) => `many${index}`);
			const before = { out: 2, failed: 1 };
			await want(
				...keys.map((key, index) => wanted(key, index % 3 ? 'w.jpg' : 'fails-to-load.jpg')),
			);
			await asleep(30);
			await settled();
			const ends = {
				out: await flow.ended('Published', before.out + 20),
				failed: await flow.ended('Failed', before.failed + 10),
			};
			const told = [...ends.out, ...ends.failed].map((one) => [
				one.runs['Create Post']!.at(-1)!.data!.main[0]![0]!.json.action_sn,
				(out(one, 'Published')[0] ?? out(one, 'Failed')[0])!.action_sn,
			]);
			expect(told.filter(([own, result]) => own !== result)).toEqual([]);
			expect(ends.out).toHaveLength(before.out + 20);
			expect(ends.failed).toHaveLength(before.failed + 10);
		});

		it('posts once what is wanted twice', async () => {
			await want(wanted('w1'));
			await flow.ended('Already Posted', 1);
			expect(setup().emulator.posts.filter((post) => post === postOf('w1'))).toHaveLength(1);
		});

		it('lets what may be out end where somebody can be told, and keeps its report', async () => {
			const kind = 'server-error-after' as const;
			setup().emulator.fault({ operation: 'createPost', bodyHas: 'waiting for lost', kind });
			await want(wanted('lost'), { key: 'bare', text: 'waiting for bare' });
			const ends = (await flow.ended('Not Posted', 2)).flatMap((one) => out(one, 'Not Posted'));
			const outcomes = ends.map(({ details }) => (details as Item).outcome);
			expect(outcomes.sort()).toEqual(['invalid', 'unknown']);
			await settled();
			const { action_sn } = postOf('lost')!;
			const reports = await DataTable.of(setup().rest, 'posts_reported');
			await until(async () => (await reports.rows()).some((row) => row.action_sn === action_sn));
		});

		it('does not wait where the report is there before it', async () => {
			const before = (await flow.ended('Published', 22)).length;
			const kind = 'slow' as const;
			const bodyHas = 'waiting for w4';
			setup().emulator.fault({ operation: 'createPost', bodyHas, kind, delayMs: 5_000 });
			await want(wanted('w4'));
			await until(() => postOf('w4') !== undefined);
			await settled();
			const [execution] = await flow.ended('Published', before + 1);
			const { action_sn } = postOf('w4')!;
			expect(out(execution!, 'Published')).toMatchObject([{ action_sn, outcome: 'published' }]);
			expect(execution!.runs).not.toHaveProperty([WAIT]);
		});

		it('goes on after a restart of n8n', async () => {
			const before = (await flow.ended('Published', 23)).length;
			await want(wanted('w5'));
			await asleep(1);
			await setup().n8n.stop();
			await setup().restart();
			await settled();
			const [execution] = await flow.ended('Published', before + 1);
			expect(out(execution!, 'Published')).toMatchObject([{ action_sn: postOf('w5')!.action_sn }]);
		});

		it('goes on as timed out where nobody reports, and keeps a report that comes too late', async () => {
			setup().emulator.setWebhook(undefined);
			const parameters = {
				'Posts Requested': { path: 'posts-requested-soon' },
				[WAIT]: { resumeAmount: 5, resumeUnit: 'seconds' },
			};
			const name = 'create-and-wait-for-the-result';
			const hasty = await (await ExampleFlow.of(setup(), name, { parameters })).activate();
			expect(await hasty.send('Posts Requested', { posts: [wanted('w6')] })).toBe(200);
			const [execution] = await hasty.ended('Timed Out', 1, 120_000);
			expect(out(execution!, 'Timed Out')).toMatchObject([
				{ action_sn: postOf('w6')!.action_sn, outcome: 'timed out' },
			]);
			const { action_sn } = postOf('w6')!;
			const late = { id: 'evt_w6', data: { action_sn, status: 'failed', message: 'too late' } };
			await setup().emulator.deliver(late, { url: hasty.url('Post Status Changed') });
			const [report] = await hasty.ended('Save the Report', 1);
			expect(out(report!, 'Save the Report')).toMatchObject([
				{ action_sn, outcome: 'failed', reason: 'too late' },
			]);
			expect(report!.runs).not.toHaveProperty(['Resume Execution']);
		});
	});
}
