import { startEmulator, type Emulator } from '../emulator';
import { thisHost } from '../n8n/hosts';
import {
	items,
	numbers,
	pause,
	PostFlow,
	retryOnFail,
	textField,
	until,
	type PostSettings,
} from './postFlow';
import { usePostSetup } from './postSetup';
import type { Setup } from '../n8n/setup';

let setup: Setup;
let flow: PostFlow;
usePostSetup((set) => ({ setup, flow } = set), { env: thisHost.envToStop });

describe('An execution that is stopped', () => {
	/** Stops an execution of 50 items, two at a time, after some requests. Returns the posts sent by then. */
	const stopped = async (more: { options?: object; settings?: object } = {}) => {
		setup.emulator.fault({ kind: 'slow', delayMs: 300, times: Infinity, operation: 'createPost' });
		const id = await flow.create(
			items(...numbers(50)),
			{ settings: { ...more.settings }, options: { maxConcurrentRequests: 2, ...more.options } },
			// n8n retries a stopped execution only if it has stored the data before the node.
			{ saveExecutionProgress: true },
		);
		const executionId = await setup.rest.start(id, 'Start');
		await until(() => flow.sent().length >= 5);
		await setup.rest.stop(executionId);
		const atStop = flow.sent().length;
		await pause(1000);
		const sent = flow.sent();
		expect(sent.length).toBeLessThanOrEqual(atStop + 1);
		await pause(2000);
		expect(flow.sent()).toStrictEqual(sent);
		expect((await setup.rest.finished(executionId)).status).toBe('canceled');
		setup.emulator.clearFaults();
		return { executionId, sent };
	};

	it.each([
		['without', {}],
		['with', retryOnFail],
	])('sends nothing more, %s Retry on Fail', async (_, settings) => {
		const { sent } = await stopped({ settings });
		expect(sent).toStrictEqual(numbers(sent.length));
	});

	if (thisHost.behaviour.rerunsStoppedNodes) {
		it('is retried without a second post with Deduplication Key', async () => {
			const { executionId, sent } = await stopped({ options: { oncePerKey: textField } });
			const again = await setup.rest.retry(executionId);
			expect(again.status).toBe('success');
			expect(flow.sent().sort()).toStrictEqual(numbers(50).sort());
			expect(flow.texts(again)).toStrictEqual(
				numbers(50).map((text) => (sent.includes(text) ? 'skipped' : text)),
			);
		});

		it('is retried from its first item without keys, because n8n discards the data of a stopped node', async () => {
			const { executionId, sent } = await stopped();
			await setup.rest.retry(executionId);
			expect(flow.sent().sort()).toStrictEqual([...sent, ...numbers(50)].sort());
		});
	} else {
		it('continues after the node when it is retried, because n8n uses the partial output of the node', async () => {
			const { executionId, sent } = await stopped();
			const again = await setup.rest.retry(executionId);
			expect(again.status).toBe('success');
			expect(flow.sent()).toStrictEqual(sent);
			const texts = flow.texts(again);
			// The run did not wait for the pending responses.
			const known = texts.map((text, at) => (text === 'unknown' ? sent[at] : text));
			expect(known).toStrictEqual(sent);
			expect(texts).toContain('1');
		});
	}
});

describe('An execution that reaches the timeout of its workflow', () => {
	it('sends nothing more, even when it is retried, and a new one skips posts with a key', async () => {
		const create = async (options: object, ...texts: string[]) => {
			flow.fault(texts[1]!, { kind: 'rate-limited-429', retryAfter: 60 });
			const more = { options: { maxConcurrentRequests: 1, ...options } };
			return { id: await flow.create(items(...texts), more, { executionTimeout: 20 }), texts };
		};
		const runs = async ({ id, texts }: Awaited<ReturnType<typeof create>>) => {
			const execution = await setup.rest.run(id, 'Start');
			expect(execution.status).toBe('canceled');
			expect((await setup.rest.retry(execution.id)).status).toBe('success');
			const sent = flow.sent().filter((text) => texts.includes(text));
			expect(sent).toStrictEqual(texts.slice(0, 2));
			return flow.texts(await setup.rest.run(id, 'Start'));
		};
		// n8n 1 sometimes fails when it creates two workflows at the same time.
		const plain = await create({}, '1', '2', '3');
		const keyed = await create({ oncePerKey: textField }, 'a', 'b', 'c');
		expect(await Promise.all([runs(plain), runs(keyed)])).toStrictEqual([
			['1', '2', '3'],
			['skipped', 'b', 'c'],
		]);
	});
});

describe('A rate limit of the platform', () => {
	/** Milliseconds between the arrivals of requests. */
	const pauses = () => {
		const times = setup.emulator.received
			.filter(({ operation }) => operation === 'createPost')
			.map(({ at }) => Date.parse(at));
		return times.slice(1).map((time, index) => time - times[index]!);
	};

	it('pauses all items after HTTP 429, and each is posted once', async () => {
		flow.fault('1', { kind: 'rate-limited-429', retryAfter: 1 });
		const options = { maxConcurrentRequests: 2 };
		const execution = await flow.run(items(...numbers(6)), { options });
		expect(execution.status).toBe('success');
		expect(flow.sent().sort()).toStrictEqual(['1', '1', '2', '3', '4', '5', '6']);
		expect(flow.texts(execution)).toStrictEqual(numbers(6));
		// Requests 1 and 2 are sent together if n8n is fast enough. Then there is a pause of a second.
		expect(pauses()[0]! + pauses()[1]!).toBeGreaterThanOrEqual(950);
	});

	it('pauses all items when it is reported inside HTTP 200', async () => {
		flow.fault('1', { kind: 'too-frequent-200', times: 2 });
		const options = { maxConcurrentRequests: 2 };
		const execution = await flow.run(items(...numbers(4)), { options });
		expect(execution.status).toBe('success');
		expect(flow.sent().sort()).toStrictEqual(['1', '1', '1', '2', '3', '4']);
		expect(flow.texts(execution)).toStrictEqual(numbers(4));
	});

	describe('for token requests', () => {
		/** A separate platform, because the package remembers the rate limits of a platform. */
		let slow: Emulator;
		beforeEach(async () => (slow = await startEmulator()));
		afterEach(async () => await slow.stop());

		const exchanges = () =>
			slow.received.filter(({ operation }) => operation === 'getAccessToken').length;

		async function posts(count: number, retryAfter: number, times: number, more: PostSettings) {
			const { url: baseUrl, appId, appSecret } = slow;
			const operation = 'getAccessToken';
			slow.fault({ kind: 'rate-limited-429', operation, retryAfter, times });
			const credential = await setup.credential(`${count}`, { baseUrl, appId, appSecret });
			const own = new PostFlow(setup, credential);
			const execution = await own.run(items(...numbers(count)), more);
			expect(execution.status).toBe('success');
			return own.items(execution);
		}

		it('sends one token request for 200 items that may not wait', async () => {
			const options = { rateLimitWait: 0 };
			const settings = { onError: 'continueRegularOutput' };
			const output = await posts(200, 60, Infinity, { options, settings });
			const item = expect.objectContaining({
				error: expect.stringMatching(/did not issue an access token: .* Retry-After 60\./),
				details: expect.objectContaining({ outcome: 'not_sent', retry_after: '60' }),
			});
			expect(output).toStrictEqual(Array(200).fill(item));
			expect(exchanges()).toBe(1);
		});

		it('requests the token again after the wait, and sends all items', async () => {
			expect(await posts(50, 2, 1, {})).toHaveLength(50);
			expect(exchanges()).toBe(2);
			const texts = slow.posts.map(({ request }) => (request as { text: string }).text);
			expect(texts.sort()).toStrictEqual(numbers(50).sort());
		});
	});

	it('refuses the posts at once when waiting is turned off', async () => {
		flow.fault('1', { kind: 'rate-limited-429', retryAfter: 1 });
		const execution = await flow.run(items('1'), { options: { rateLimitWait: 0 } });
		expect(execution.status).toBe('error');
		expect(flow.sent()).toStrictEqual(['1']);
	});
});
