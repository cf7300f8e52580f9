import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { respond, startCustomPlatform } from '../harness/customPlatform';
import { statesOf } from '../harness/ledgerOf';
import { eachText, itemsOf, jsonOf, mostAtOnce, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';
import type { FaultSpec } from '../../emulator';

const platform = usePlatform();

const created = () => platform.received('createPost');
const addFault = (index: number, fault: Partial<FaultSpec> & Pick<FaultSpec, 'kind'>) =>
	platform.emulator.fault({ operation: 'createPost', bodyHas: textOf(index), ...fault });
/** A delay that no test waits for. It is not longer, because its timer keeps the process alive. */
const LONG_S = 8;
const expectNoLongWait = (from: number) =>
	expect(Date.now() - from).toBeLessThan(LONG_S * 1000 - 2000);
/** Whether the platform has sent this many responses. The node receives them a little later. */
const answered = (count: number) => () =>
	created().filter(({ status }) => status !== null).length >= count;

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
			if (index === 2) return refuse(response);
			await until(() => '0:4' in states() && !('0:2' in states()));
			accept();
		});
		expect(texts.sort()).toStrictEqual([0, 1, 2, 3, 4].map(textOf));
		expect(result.error).toMatchObject({
			message: expect.stringContaining('The platform refused post 3 of 20, “post 02.”: '),
			description: expect.stringMatching(
				/Posts: 4 accepted, 1 not accepted, 15 not sent yet\. .*Retry this execution to send only the posts that were not accepted\. A new execution sends all of them again\.$/s,
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

	test('reports a single item without counts', async () => {
		addFault(0, { kind: 'refused' });
		const { error } = await platform.run(eachText(), { items: itemsOf(1) });
		expect(error!.description).not.toContain('Posts:');
	});

	test('stops posts that wait for the Minimum Interval', async () => {
		addFault(0, { kind: 'refused' });
		const options = { minimumInterval: LONG_S };
		const from = Date.now();
		const { error } = await platform.run(eachText(options), { items: itemsOf(9) });
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

	test('sends no post after an invalid item on a slow machine', async () => {
		const clock = jest.spyOn(performance, 'now');
		for (let ms = 0; ms < 5_000; ms++) clock.mockReturnValueOnce(ms * 10);
		const items = [...itemsOf(1), { text: 'no account' }, ...itemsOf(30).slice(1)];
		const socialAccountId = '={{ $json.text === "no account" ? "" : "acc_1" }}';
		await platform.run({ ...eachText(), socialAccountId }, { items });
		clock.mockRestore();
		expect(textsOf(created())).toStrictEqual([textOf(0)]);
	});
});

describe('Create in a canceled execution', () => {
	const neverAnswer = () =>
		addFault(0, { ...{ kind: 'slow', bodyHas: '', delayMs: 600_000 }, times: Infinity });

	test('sends no more posts, and reports those in progress as unknown', async () => {
		neverAnswer();
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
		addFault(0, { kind: 'rate-limited-429', retryAfter: LONG_S });
		const running = platform.start(eachText(), { items: itemsOf(1) });
		await until(() => created()[0]?.status === 429 && !statesOf(running)['0:0']);
		const from = Date.now();
		running.cancel();
		expect(statesOf(await running.done)).toStrictEqual({});
		expectNoLongWait(from);
		expect(created()).toHaveLength(1);
	});

	test('ends a wait for the Minimum Interval at once', async () => {
		const options = { minimumInterval: LONG_S };
		const running = platform.start(eachText(options), { items: itemsOf(20) });
		await until(answered(1));
		await soon();
		const from = Date.now();
		running.cancel();
		await running.done;
		expectNoLongWait(from);
		expect(created()).toHaveLength(1);
	});

	test('sends no more posts in the retries of Retry on Fail', async () => {
		neverAnswer();
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const running = platform.start(eachText(), { items: itemsOf(30), settings });
		await until(() => created().length === 5);
		running.cancel();
		await running.done;
		await soon();
		expect(created()).toHaveLength(5);
	});
});

test('Create keeps the options of the run when another option of the first item is invalid', async () => {
	platform.emulator.adjust({ latencyMs: 60 });
	const options = { maxConcurrentRequests: 1, timeout: '={{ $json.text ? 9 : 0 }}' };
	const more = { items: [{ text: '' }, ...itemsOf(6)], onError: 'continueRegularOutput' as const };
	const result = await platform.run(eachText(options), more);
	expect(jsonOf(result).filter(({ error }) => error)).toHaveLength(1);
	expect(mostAtOnce(created(), 55)).toBe(1);
});
