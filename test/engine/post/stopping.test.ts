import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { respond, startCustomPlatform } from '../harness/customPlatform';
import { statesOf } from '../harness/ledgerOf';
import { eachText, itemsOf, textOf, textsOf } from '../harness/manyPosts';
import { soon, until } from '../harness/storage';
import { usePosts } from './postSetup';

const { platform, created, fault } = usePosts();

/** A delay that no test waits for. It is not longer, because its timer keeps the process alive. */
const LONG_S = 8;
const expectNoLongWait = (from: number) =>
	expect(Date.now() - from).toBeLessThan(LONG_S * 1000 - 2000);

describe('Create that stops at the first failure', () => {
	let states: () => Record<string, string>;
	const refuse = (response: ServerResponse) =>
		void respond(response, 200, { success: false, code: 2150, message: 'no' });

	/** Runs posts whose responses the test decides by the indexes of their items. */
	async function runWithAnswers(
		count: number,
		answer: (index: number, accept: () => void, response: ServerResponse) => Promise<void>,
	) {
		const texts: string[] = [];
		const server = await startCustomPlatform(platform);
		const { post } = server;
		server.post = async (request, response) => {
			texts.push((JSON.parse(await text(request)) as { text: string }).text);
			const index = Number(texts.at(-1)!.slice(5, 7));
			await answer(index, () => void post(request, response), response);
		};
		const running = platform.start(eachText(), { items: itemsOf(count), mode: 'trigger' });
		states = () => statesOf(running);
		const result = await running.done;
		await server.stop();
		return { result, texts };
	}

	test('sends no more posts, and waits for and counts those in progress', async () => {
		const { result, texts } = await runWithAnswers(20, async (index, accept, response) => {
			await until(() => '0:4' in states());
			if (index === 2) return refuse(response);
			await until(() => !('0:2' in states()));
			accept();
		});
		expect(texts.sort()).toStrictEqual([0, 1, 2, 3, 4].map(textOf));
		expect(result.error).toMatchObject({
			message: expect.stringContaining('The platform refused post 3 of 20, “post 02.”: '),
			description: expect.stringMatching(
				/Posts: 4 accepted, 1 not accepted, 15 not sent yet\. .*A retry of execution \d+ sends only the posts that were not accepted\.\nAny other execution, .*, sends all of them again\.$/s,
			),
			context: { data: { item_index: 2 } },
		});
		expect(statesOf(result)).toStrictEqual({
			...{ '0:0': 'accepted', '0:1': 'accepted' },
			...{ '0:3': 'accepted', '0:4': 'accepted' },
		});
	});

	test('reports the first failed item, even if its response comes last', async () => {
		let isRefused = false;
		const { result } = await runWithAnswers(4, async (index, accept, response) => {
			if (index === 3) {
				isRefused = true;
				return refuse(response);
			}
			await until(() => isRefused && !('0:3' in states()));
			if (index === 1) response.destroy();
			else accept();
		});
		expect(result.error).toMatchObject({
			message: expect.stringContaining('It is not known whether'),
			description: expect.stringContaining('1 not accepted, 1 unknown'),
			context: { data: { item_index: 1, outcome: 'unknown' } },
		});
	});

	test('reports the error that ended the run, not a post that waits for a rate limit', async () => {
		fault('rate-limited-429', { bodyHas: textOf(0), retryAfter: 100 });
		fault('slow', { bodyHas: textOf(2), delayMs: 9 });
		fault('refused', { bodyHas: textOf(1) });
		const more = { items: itemsOf(3) };
		const { error } = await platform.run(eachText({ maxConcurrentRequests: 2 }), more);
		expect(error!.message).toContain('请求被拒绝');
		expect(error!.description).toContain('Posts: 1 not accepted, 2 not sent yet.\n');
	});

	test('reports a single item without counts', async () => {
		fault('refused');
		expect((await platform.run()).error!.description).not.toContain('Posts:');
	});

	test('stops posts that wait for the Minimum Interval', async () => {
		fault('refused');
		const from = Date.now();
		const more = { items: itemsOf(9) };
		const { error } = await platform.run(eachText({ minimumInterval: LONG_S }), more);
		expectNoLongWait(from);
		expect(error).toMatchObject({ context: { data: { item_index: 0 } } });
		expect(created()).toHaveLength(1);
	});

	test('sends the items before an invalid item, and none after it', async () => {
		const items = [...itemsOf(1), { text: 'no account' }, ...itemsOf(30).slice(1)];
		const socialAccountId = '={{ $json.text === "no account" ? "" : "acc_1" }}';
		const { error } = await platform.run({ ...eachText(), socialAccountId }, { items });
		expect(error).toMatchObject({
			message: "Post 2 of 31, “no account”: 'Account' is empty",
			context: { data: { item_index: 1 } },
		});
		expect(textsOf(created())).toStrictEqual([textOf(0)]);
	});
});

describe('Create in a canceled execution', () => {
	test('sends no more posts, and reports those in progress as unknown', async () => {
		fault('slow', { delayMs: 600_000, times: Infinity });
		const running = platform.start(eachText(), { items: itemsOf(30) });
		await until(() => created().length === 5);
		running.cancel();
		const result = await running.done;
		await soon();
		expect(created()).toHaveLength(5);
		expect(result.run.status).toBe('canceled');
		// n8n closes the connections of these posts itself.
		expect(Object.values(statesOf(result))).toStrictEqual(Array(5).fill('unknown'));
	});

	test('ends a wait for a rate limit at once, and a retry can send the post', async () => {
		fault('rate-limited-429', { retryAfter: LONG_S });
		const running = platform.start();
		await until(() => created()[0]?.status === 429 && !statesOf(running)['0:0']);
		const from = Date.now();
		running.cancel();
		expect(statesOf(await running.done)).toStrictEqual({});
		expectNoLongWait(from);
		expect(created()).toHaveLength(1);
	});
});
