import { randomUUID } from 'node:crypto';
import { items, numbers, pause, PostFlow, until, type Item } from './postFlow';
import { byId } from './keyedPosts';
import { QueueExample } from './queueExample';
import { filesAreTested } from './queueFiles';
import { QueueFlow, several } from './queueFlow';
import { killsAreTested } from './queueKills';
import { measured } from './queueNumbers';
import { QueueSetup } from './queueSetup';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { send, TriggerFlow, type Reply } from './triggerFlow';

let queue: QueueSetup;
let setup: Setup;
let platform: PostFlow;
let example: QueueExample;
beforeAll(async () => {
	queue = await QueueSetup.start();
	({ setup } = queue);
	platform = new PostFlow(setup, await setup.credential('any'));
	example = await QueueExample.active(queue);
});
afterAll(async () => await queue?.stop());

/** The URLs of all requests to the platform. */
const urls: string[] = [];
beforeEach(() => {
	urls.push(...setup.emulator.received.map(({ path }) => path));
	setup.emulator.reset();
});

/** A credential with a valid token. */
async function ready(data: Record<string, unknown> = {}): Promise<Credential> {
	const credential = await setup.credential(`platform ${randomUUID()}`, data);
	await setup.rest.testCredential(credential);
	return credential;
}

const begun = () => queue.workers.map((worker) => worker.startedExecutions());

/** Whether the outcome of a key's post is unknown. */
const isUnknown = ({ first }: Item) => (first as Item | undefined)?.outcome === 'unknown';

/** The number of posts, and of their texts. */
const posted = () => ({
	posts: platform.posted().length,
	different: new Set(platform.posted()).size,
});

describe('200 executions on two workers, with a platform that accepts only the newest token', () => {
	const EXECUTIONS = 200;
	const starts: Record<string, (credential: Credential) => Promise<unknown>> = {
		'no token': async () => await Promise.resolve(),
		'a valid token': async (credential) => await setup.rest.testCredential(credential),
		'an expired token': async (credential) => {
			await setup.rest.testCredential(credential);
			setup.emulator.expireTokens();
		},
	};

	it.each(Object.keys(starts))('each post once, starting with %s', async (start) => {
		const credential = await setup.credential(start);
		const flow = await QueueFlow.active(queue, credential);
		await starts[start]!(credential);
		setup.emulator.adjust({ latencyMs: 50 });
		const [exchanged, before] = [setup.arrived('getAccessToken'), begun()];
		const sent = Date.now();
		await several(numbers(EXECUTIONS), 40, async (text) => await flow.take(items(text)));
		await flow.ended(EXECUTIONS);
		const shares = begun().map((count, index) => count - before[index]!);
		const exchanges = setup.arrived('getAccessToken') - exchanged;
		const succeeded = await flow.count('success');
		const found = { exchanges, succeeded, shares, ...posted(), ms: Date.now() - sent };
		measured(`${EXECUTIONS} executions from ${start}`, found);
		const all = { succeeded: EXECUTIONS, posts: EXECUTIONS, different: EXECUTIONS };
		expect({ succeeded, ...posted() }).toEqual(all);
		// The first refresh does not wait for the other worker, so both may end each other's token.
		expect(exchanges).toBeLessThanOrEqual(8);
		expect(Math.min(...shares)).toBeGreaterThan(EXECUTIONS / 10);
	});

	it('use a token that the other worker has stored', async () => {
		const flow = await QueueFlow.active(queue, await setup.credential('new'));
		const before = begun();
		let count = 0;
		while (begun().some((now, index) => now === before[index])) {
			await flow.take(items(String(++count)));
			await flow.ended(count);
		}
		expect(posted()).toEqual({ posts: count, different: count });
		expect(setup.arrived('getAccessToken')).toBe(1);
	});
});

test('a manual execution runs on a worker with the same result as without queue mode', async () => {
	const before = begun();
	const flow = new PostFlow(setup, await ready());
	const execution = await flow.run(items('a', 'b'));
	expect(execution.status).toBe('success');
	expect(flow.texts(execution)).toEqual(['a', 'b']);
	expect(begun().reduce((sum, count) => sum + count)).toBe(before[0]! + before[1]! + 1);
});

describe('A repeated delivery', () => {
	it('starts one execution for each process that receives it', async () => {
		const flow = await TriggerFlow.active(setup, await ready({ signatureRecipe: 'timestampBody' }));
		const main = flow.url;
		const processor = main.replace(setup.n8n.url, queue.webhook.url);
		const executions = async (first: string, second: string, expected: number) => {
			const to = { url: `${setup.emulator.url}/nowhere`, recipe: 'timestampBody' as const };
			const event = { id: randomUUID(), data: { action_sn: 'SA1', status: 'failed' } };
			const { headers, body } = await setup.emulator.deliver(event, to);
			const before = await flow.count();
			const accepted = async (url: string) => {
				let reply = await send(url, headers, body);
				// A duplicate of a delivery that a busy n8n has not stored yet.
				while (reply.status === 503) reply = await send(url, headers, body);
				expect(JSON.parse(reply.body)).toMatchObject({ ok: true });
			};
			await Promise.all([accepted(first), accepted(second)]);
			await until(async () => (await flow.count()) - before >= expected, 60_000);
			// Another execution would be listed a moment later.
			await pause(2_000);
			return (await flow.count()) - before;
		};
		const found = {
			'to main twice': await executions(main, main, 1),
			'to the processor twice': await executions(processor, processor, 1),
			'to each once': await executions(main, processor, 2),
		};
		measured('executions of one delivery', found);
		expect(Object.values(found)).toEqual([1, 1, 2]);
	});
});

describe('Deduplication Key', () => {
	const keysOf = (count: number) => numbers(count).map((text) => ({ id: text, text }));

	it('publishes one post for a key that another process or worker uses later', async () => {
		const flow = await QueueFlow.active(queue, await ready(), byId());
		let count = 0;
		for (const key of keysOf(8)) {
			for (const process of [queue.webhook, setup.n8n]) {
				await flow.take([key], process);
				await flow.ended(++count);
			}
		}
		expect(await flow.count('success')).toBe(count);
		expect(posted()).toEqual({ posts: 8, different: 8 });
	});

	it('publishes one post for a key that is used 30 times at the same moment', async () => {
		const flow = await QueueFlow.active(queue, await ready(), byId());
		await several(Array(30).fill(keysOf(1)), 30, async (key) => await flow.take(key));
		await flow.ended(30);
		measured('a key that is used 30 times at the same moment', posted());
		expect(await flow.count('success')).toBe(30);
		expect(posted()).toEqual({ posts: 1, different: 1 });
	});

	it('publishes one post for each of 20 keys that are used twice at the same moment', async () => {
		const flow = await QueueFlow.active(queue, await ready(), byId());
		for (const [index, key] of keysOf(20).entries()) {
			await Promise.all([flow.take([key]), flow.take([key])]);
			await flow.ended(2 * (index + 1));
		}
		measured('keys that are used twice at the same moment', posted());
		expect(await flow.count('success')).toBe(40);
		expect(posted()).toEqual({ posts: 20, different: 20 });
	});

	it('loses none of 60 keys that two workers record at the same moment', async () => {
		const flow = await QueueFlow.active(queue, await ready(), byId());
		const keys = keysOf(60);
		setup.emulator.adjust({ latencyMs: 50 });
		await several(keys, 60, async (key) => await flow.take([key]));
		await flow.ended(60);
		expect(posted()).toEqual({ posts: 60, different: 60 });
		// Each is recorded again within 1.5 seconds, or later if the database is slow.
		await pause(8_000);
		await flow.take(keys);
		await flow.ended(61);
		const output = platform.items(await setup.rest.execution(await flow.newest()));
		const forgotten = posted().posts - 60;
		const unknown = output.filter(isUnknown).length;
		measured('keys recorded at the same moment', { keys: 60, forgotten, unknown });
		expect(forgotten).toBe(0);
	});
});

describe('The example for queue mode', () => {
	beforeEach(async () => await example.freshToken());

	it('posts each of 60 articles once, announced to both processes at the same moment', async () => {
		const articles = numbers(60).map((id) => example.article(id));
		await example.announceTwice(articles);
		const rows = example.rows('article');
		measured('articles announced twice', { articles: articles.length, ...posted() });
		expect(posted()).toEqual({ posts: 60, different: 60 });
		expect(rows).toEqual(Array(60).fill('posted'));
	});

	it('reports each of 20 failures only once when both processes receive it at the same moment', async () => {
		const before = example.rows('event').length;
		const reports = await example.reportTwice(20);
		measured('failures reported twice', reports);
		expect(reports).toEqual({ executions: 40, notified: 20 });
		expect(example.rows('event')).toHaveLength(before + 20);
	});

	it('frees the key of a refused article, and keeps the key of an unknown outcome', async () => {
		platform.fault(example.textOf('refused'), { kind: 'refused' });
		platform.fault(example.textOf('lost'), { kind: 'reset-after' });
		expect(await example.announce('refused')).toMatchObject({ state: 'free' });
		expect(await example.announce('lost')).toMatchObject({ details: { outcome: 'unknown' } });
		expect(await example.announce('refused')).toMatchObject({ state: 'posted' });
		expect(await example.announce('lost')).toMatchObject({ first: false });
		expect(posted()).toEqual({ posts: 2, different: 2 });
		expect(example.toCheck()).toEqual(['article lost']);
	});

	it('does not post an article without an ID', async () => {
		expect(await example.announce('')).toBeUndefined();
		expect(posted()).toEqual({ posts: 0, different: 0 });
	});
});

filesAreTested(() => queue);

killsAreTested(
	() => queue,
	() => example,
);

test('a stopped execution continues if a webhook processor received it', async () => {
	const flow = await QueueFlow.active(queue, await ready(), {
		options: { maxConcurrentRequests: 1 },
	});
	platform.fault('2', { kind: 'rate-limited-429', retryAfter: 40 });
	await flow.take(items(...numbers(3)));
	await until(() => platform.sent().length === 2, 60_000);
	const id = await flow.newest();
	await setup.rest.stop(id);
	expect((await setup.rest.execution(id)).status).toBe('canceled');
	expect(platform.posted()).toEqual(['1']);
	await until(() => posted().posts === 3, 90_000);
});

test('a worker that receives SIGTERM finishes its executions first', async () => {
	const flow = await QueueFlow.active(queue, await ready());
	setup.emulator.adjust({ latencyMs: 500 });
	await flow.take(items(...numbers(50)));
	await until(() => posted().posts > 0, 60_000);
	const id = await flow.newest();
	const index = queue.workers.findIndex((worker) => worker.hasStarted(id));
	expect(await queue.workers[index]!.finish()).toBe(0);
	queue.workers.splice(index, 1, await queue.start('worker', 'worker 4'));
	expect((await setup.rest.finished(id)).status).toBe('success');
	expect(posted()).toEqual({ posts: 50, different: 50 });
});

test('a delivery that arrives while n8n starts gets a 200 from n8n, and is lost', async () => {
	const flow = await TriggerFlow.active(setup, await ready({ signatureRecipe: 'timestampBody' }));
	const to = { url: `${setup.emulator.url}/nowhere`, recipe: 'timestampBody' as const };
	const event = { id: randomUUID(), data: { action_sn: 'SA1', status: 'failed' } };
	const { headers, body } = await setup.emulator.deliver(event, to);
	const sent = async () => await send(flow.url, headers, body).catch(() => undefined);
	await setup.n8n.stop();
	// n8n accepts connections before it updates its database.
	const unlock = await queue.postgres.lock('migrations');
	const restarted = setup.restart();
	let reply: Reply | undefined;
	await until(async () => (reply = await sent())?.status === 200, 120_000);
	expect(reply?.body).toBe('n8n is starting up. Please wait');
	expect((await fetch(`${setup.n8n.url}/healthz/readiness`)).status).toBe(503);
	await unlock();
	await restarted;
	expect(await flow.count()).toBe(0);
	expect((await sent())?.body).toContain('accepted');
	expect(await flow.succeeded(1)).toBe(1);
});

test('no secret is stored or logged', async () => {
	// PostgreSQL logs a statement only when it is slow or fails.
	const { PostgreSQL, "PostgreSQL's log": _, ...redis } = queue.kept();
	expect(PostgreSQL).toContain('About 60');
	const withExecutions = Object.values(redis).filter((text) => text.includes('executionId'));
	expect(withExecutions.length).toBeGreaterThanOrEqual(2);
	expect(urls.length).toBeGreaterThan(1_000);
	expect(await queue.sweep({ URLs: urls.join('\n') })).toEqual([]);
});
