import { randomUUID } from 'node:crypto';
import { startEmulator } from '../emulator';
import { download, FileFlow, linksOf, pictureSha256, tokenStarts } from './fileFlow';
import { items, numbers, PostFlow, until } from './postFlow';
import { byId } from './keyedPosts';
import { QueueFlow, several } from './queueFlow';
import { killsAreTested } from './queueKills';
import { QueueSetup } from './queueSetup';
import { saveNumbers } from './results';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { sweep } from '../n8n/sweep';
import { send, TriggerFlow } from './triggerFlow';

let queue: QueueSetup;
let setup: Setup;
let platform: PostFlow;
beforeAll(async () => {
	queue = await QueueSetup.start();
	({ setup } = queue);
	platform = new PostFlow(setup, await setup.credential('any'));
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

/** The number of posts, and of their texts. */
const posted = () => ({
	posts: platform.posted().length,
	different: new Set(platform.posted()).size,
});

describe('100 executions on two workers, with a platform that accepts only the newest token', () => {
	const EXECUTIONS = 100;
	const found: Record<string, object> = {};

	it.each(['no token', 'an expired token'])('each post once, starting with %s', async (start) => {
		const isExpired = start !== 'no token';
		const credential = await (isExpired ? ready() : setup.credential(start));
		if (isExpired) setup.emulator.expireTokens();
		const flow = await QueueFlow.active(queue, credential);
		setup.emulator.adjust({ latencyMs: 50 });
		const [exchanged, before] = [setup.arrived('getAccessToken'), begun()];
		await several(numbers(EXECUTIONS), 40, async (text) => await flow.take(items(text)));
		await flow.ended(EXECUTIONS);
		const shares = begun().map((count, index) => count - before[index]!);
		const exchanges = setup.arrived('getAccessToken') - exchanged;
		found[`${EXECUTIONS} executions from ${start}`] = { exchanges, ...posted() };
		saveNumbers('queue', found);
		expect(await flow.count('success')).toBe(EXECUTIONS);
		expect(posted()).toEqual({ posts: EXECUTIONS, different: EXECUTIONS });
		// The first refresh does not wait for the other worker, so both may end each other's token.
		expect(exchanges).toBeLessThanOrEqual(8);
		expect(Math.min(...shares)).toBeGreaterThan(EXECUTIONS / 10);
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

test('a repeated delivery starts one execution for each process that receives it', async () => {
	const flow = await TriggerFlow.active(setup, await ready({ signatureRecipe: 'timestampBody' }));
	const processor = flow.url.replace(setup.n8n.url, queue.webhook.url);
	const to = { url: `${setup.emulator.url}/nowhere`, recipe: 'timestampBody' as const };
	const event = { id: randomUUID(), data: { action_sn: 'SA1', status: 'failed' } };
	const { headers, body } = await setup.emulator.deliver(event, to);
	const accepted = async (url: string) => {
		let reply = await send(url, headers, body);
		// A duplicate of a delivery that a busy n8n has not stored yet.
		while (reply.status === 503) reply = await send(url, headers, body);
		return (JSON.parse(reply.body) as { result: string }).result;
	};
	const results = await Promise.all([flow.url, flow.url, processor, processor].map(accepted));
	expect(results.sort()).toEqual(['accepted', 'accepted', 'duplicate', 'duplicate']);
	// n8n stores an execution before it responds.
	expect(await flow.succeeded(2)).toBe(2);
	expect(await flow.count()).toBe(2);
});

describe('Deduplication Key', () => {
	const keysOf = (count: number) => numbers(count).map((text) => ({ id: text, text }));

	it('publishes one post for each of 10 keys that are used three times at the same moment', async () => {
		const flow = await QueueFlow.active(queue, await ready(), byId());
		for (const [index, key] of keysOf(10).entries()) {
			await several([queue.webhook, setup.n8n, queue.webhook], 3, async (process) => {
				await flow.take([key], process);
			});
			await flow.ended(3 * (index + 1));
		}
		expect(await flow.count('success')).toBe(30);
		expect(posted()).toEqual({ posts: 10, different: 10 });
	});

	it('loses none of 60 keys that two workers record at the same moment', async () => {
		const flow = await QueueFlow.active(queue, await ready(), byId());
		const keys = keysOf(60);
		setup.emulator.adjust({ latencyMs: 50 });
		await several(keys, 60, async (key) => await flow.take([key]));
		await flow.ended(60);
		expect(posted()).toEqual({ posts: 60, different: 60 });
		await flow.take(keys);
		await flow.ended(61);
		const execution = await setup.rest.finished(await flow.newest());
		const skipped = platform.items(execution).map((item) => item.skipped);
		expect(skipped).toEqual(Array(60).fill(true));
		expect(posted().posts).toBe(60);
	});
});

test('files that a webhook processor or a worker has received are posted, and no token of their links is left', async () => {
	// Fetches media, which would fail in the other tests.
	const emulator = await startEmulator({ fetchMedia: true });
	const { url: baseUrl, appSecret } = emulator;
	const credential = await ready({ baseUrl, appSecret });
	const rest = setup.rest;
	const flow = await FileFlow.start({ rest, emulator }, credential, () => queue.webhook.url);
	try {
		const executions = [await flow.byWebhook(), await flow.byForm(), await flow.byDownload()];
		for (const { status, raw } of executions) {
			expect(status).toBe('success');
			// The default in queue mode.
			expect(raw).toContain('"database:');
		}
		const published = { status: 'published', media: [{ sha256: pictureSha256 }] };
		expect(emulator.posts).toMatchObject(Array(3).fill(published));
		const links = emulator.posts.flatMap(({ request }) => linksOf(JSON.stringify(request)));
		for (const link of links) expect(await download(link)).toMatchObject({ sha256: pictureSha256 });
		const raws = executions.map(({ id, raw }) => [`execution ${id}`, raw]);
		const texts = { ...queue.kept(), ...(Object.fromEntries(raws) as Record<string, string>) };
		const { userFolder } = setup.n8n;
		expect(sweep(tokenStarts(links), { userFolder, texts })).toStrictEqual([]);
	} finally {
		await flow.stop();
		await emulator.stop();
	}
});

killsAreTested(() => queue);

test('a stopped execution continues if a webhook processor received it', async () => {
	const flow = await QueueFlow.active(queue, await ready(), {
		options: { maxConcurrentRequests: 1 },
	});
	platform.fault('2', { kind: 'rate-limited-429', retryAfter: 15 });
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
	await flow.take(items(...numbers(30)));
	await until(() => posted().posts > 0, 60_000);
	const id = await flow.newest();
	const worker = queue.workers.find((one) => one.hasStarted(id))!;
	expect(await worker.finish()).toBe(0);
	expect((await setup.rest.finished(id)).status).toBe('success');
	expect(posted()).toEqual({ posts: 30, different: 30 });
});

test('no secret is stored or logged', async () => {
	// PostgreSQL logs a statement only when it is slow or fails.
	const { PostgreSQL, "PostgreSQL's log": _, ...redis } = queue.kept();
	expect(PostgreSQL).toContain('social_post_id');
	const withExecutions = Object.values(redis).filter((text) => text.includes('executionId'));
	expect(withExecutions.length).toBeGreaterThanOrEqual(2);
	expect(urls.length).toBeGreaterThan(400);
	expect(await queue.sweep({ URLs: urls.join('\n') })).toEqual([]);
});
