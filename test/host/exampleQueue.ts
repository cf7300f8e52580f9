import { DataTable } from '../n8n/dataTable';
import { texts } from './exampleArticles';
import { ExampleFlow } from './exampleFlow';
import { until } from './postFlow';
import type { Workflow } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

/** Tests the example that posts the rows of a table. */
export function testQueue(setup: () => Setup): void {
	describe('the example with a queue in a table', () => {
		const START = 'Seven Times a Day';
		let flow: ExampleFlow;
		let table: DataTable;
		beforeAll(async () => {
			flow = await (await ExampleFlow.of(setup(), 'queue-in-a-table')).checkActivation();
			table = await DataTable.of(setup().rest, 'post_queue');
		});

		const media_url = 'https://blog.example.com/q.jpg';
		const addRows = async (...texts: string[]) =>
			await table.add(...texts.map((text) => ({ text, media_url, status: 'waiting' })));
		const states = async () => (await table.rows()).map(({ text, status }) => [text, status]);
		const posted = () => texts(setup()).filter((text) => text.startsWith('q'));
		const run = async () =>
			expect(await flow.run(START)).toMatchObject({ status: 'success', error: undefined });

		it('posts the oldest row in each run, and nothing after the last row', async () => {
			await addRows('q1', 'q2');
			await run();
			expect(posted()).toEqual(['q1']);
			const [first] = await table.rows();
			expect(first!.action_sn).toBe(setup().emulator.posts.at(-1)!.action_sn);
			expect(await states()).toEqual([
				['q1', 'posted'],
				['q2', 'waiting'],
			]);
			await run();
			await run();
			expect(posted()).toEqual(['q1', 'q2']);
		});

		it('notes why the platform refused a row, and continues with the next one', async () => {
			setup().emulator.fault({
				operation: 'createPost',
				bodyHas: 'q3',
				kind: 'refused',
				code: 1002,
				message: '图片不符合要求',
			});
			await addRows('q3', 'q4');
			await run();
			expect((await table.rows()).at(-2)).toMatchObject({
				status: 'failed',
				note: expect.stringContaining('图片不符合要求') as string,
			});
			await run();
			expect(posted()).toEqual(['q1', 'q2', 'q4']);
		});

		it('keeps a row waiting if it was not sent', async () => {
			await addRows('q5');
			setup().emulator.revokeTokens();
			setup().emulator.fault({
				operation: 'getAccessToken',
				kind: 'server-error-before',
				times: Infinity,
			});
			await run();
			expect((await states()).at(-1)).toEqual(['q5', 'waiting']);
			setup().emulator.clearFaults();
			await run();
			expect((await states()).at(-1)).toEqual(['q5', 'posted']);
		});

		it('posts a row once if n8n stops before it updates the row', async () => {
			const count = posted().length;
			const last = (await table.rows()).at(-1)!;
			await table.change(last.id, { status: 'waiting', action_sn: '' });
			await run();
			expect(posted()).toHaveLength(count);
			expect((await table.rows()).at(-1)).toMatchObject({
				status: 'posted',
				note: expect.stringMatching(/'queue row \d+ of \S+Z' was posted before/) as string,
				action_sn: last.action_sn,
			});
		});

		it('marks a row for a check if n8n stops during the request', async () => {
			await addRows('q6');
			setup().emulator.fault({ operation: 'createPost', bodyHas: 'q6', kind: 'no-answer' });
			await setup().rest.start(flow.id, START);
			await until(() => posted().includes('q6'));
			const { n8n } = setup();
			n8n.kill('SIGKILL');
			await n8n.ended;
			await setup().restart();
			expect((await states()).at(-1)).toEqual(['q6', 'waiting']);
			await run();
			expect((await states()).at(-1)).toEqual(['q6', 'check']);
			expect(posted().filter((text) => text === 'q6')).toHaveLength(1);
		});

		it('posts the rows of a new table whose IDs start again', async () => {
			const { rest } = setup();
			const { nodes } = await rest.call<Workflow>('GET', `/rest/workflows/${flow.id}`);
			const { columns } = nodes.find(({ name }) => name === 'Create the Table')!.parameters;
			const { column } = columns as { column: Array<{ name: string; type: string }> };
			const other = await DataTable.of(rest, 'post_queue_new', column);
			for (const { parameters } of nodes.filter((node) => 'dataTableId' in node.parameters)) {
				parameters.dataTableId = { __rl: true, mode: 'list', value: other.id };
			}
			await rest.updateWorkflow(flow.id, { nodes });
			await other.add({ text: 'q7', media_url, status: 'waiting' });
			await run();
			expect(await other.rows()).toMatchObject([{ id: 1, status: 'posted', note: '' }]);
			expect(posted().at(-1)).toBe('q7');
		});
	});
}
