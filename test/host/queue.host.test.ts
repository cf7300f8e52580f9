import { randomUUID } from 'node:crypto';
import { startEmulator } from '../emulator';
import { download, FileFlow, linksOf, pictureSha256, tokenStarts } from './fileFlow';
import {
	byText,
	items,
	numbers,
	outputOf,
	PostFlow,
	postOfText,
	PostTexts,
	until,
} from './postFlow';
import { testKills } from './queueKills';
import { QueueSetup } from './queueSetup';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { sweep } from '../n8n/sweep';
import { given, manual, row } from '../n8n/workflows';
import { send, TriggerFlow } from './triggerFlow';

let queue: QueueSetup;
let setup: Setup;
let texts: PostTexts;
beforeAll(async () => {
	queue = await QueueSetup.start();
	({ setup } = queue);
	texts = new PostTexts(setup.emulator);
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
	posts: texts.posted().length,
	different: new Set(texts.posted()).size,
});

/** Starts an execution for each text, at the same time, through the webhook processor. */
const sendEach = async (flow: PostFlow, wanted: string[]) =>
	await Promise.all(wanted.map(async (text) => await flow.send(items(text), queue.webhook)));

test('40 executions on two workers each post once, starting with an expired token, where only the newest one is valid', async () => {
	const EXECUTIONS = 40;
	const flow = await PostFlow.active(setup, await ready());
	setup.emulator.expireTokens();
	setup.emulator.adjust({ latencyMs: 50 });
	const [exchanged, before] = [setup.arrived('getAccessToken'), begun()];
	await sendEach(flow, numbers(EXECUTIONS));
	await flow.ended(EXECUTIONS);
	const shares = begun().map((count, index) => count - before[index]!);
	const ids = await setup.rest.executionIds(flow.id);
	const all = await Promise.all(ids.map(async (id) => await setup.rest.finished(id)));
	expect(all.map(({ error }) => error?.message)).toEqual(Array(EXECUTIONS).fill(undefined));
	expect(posted()).toEqual({ posts: EXECUTIONS, different: EXECUTIONS });
	// The first refresh does not wait for the other worker, so both may end each other's token.
	expect(setup.arrived('getAccessToken') - exchanged).toBeLessThanOrEqual(8);
	expect(Math.min(...shares)).toBeGreaterThan(EXECUTIONS / 10);
});

test('a manual execution runs on a worker with the same result as without queue mode', async () => {
	const before = begun();
	const workflow = given(row('manual', manual(), postOfText(await ready())), ...items('a', 'b'));
	const { id } = await setup.rest.createWorkflow(workflow);
	expect(texts.in(await setup.rest.run(id, 'Start'))).toEqual(['a', 'b']);
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
});

describe('Deduplication Key', () => {
	it('publishes one post for each of 6 keys that are used three times at the same moment', async () => {
		const flow = await PostFlow.active(setup, await ready(), byText());
		for (const [index, key] of numbers(6).entries()) {
			const receivers = [queue.webhook, setup.n8n, queue.webhook];
			await Promise.all(receivers.map(async (one) => await flow.send(items(key), one)));
			await flow.ended(3 * (index + 1));
		}
		expect(await flow.count('success')).toBe(18);
		expect(posted()).toEqual({ posts: 6, different: 6 });
	});

	it('loses none of 40 keys that two workers record at the same moment, until they are cleared', async () => {
		const keys = numbers(40);
		const flow = await PostFlow.active(setup, await ready(), byText());
		setup.emulator.adjust({ latencyMs: 50 });
		await sendEach(flow, keys);
		await flow.ended(40);
		expect(posted()).toEqual({ posts: 40, different: 40 });
		const skipped = outputOf(await flow.run(items(...keys)), 'Post').map((item) => item.skipped);
		expect(skipped).toEqual(Array(40).fill(true));
		let saved = {};
		await flow.set(({ socialAccountId, ...more }) => {
			saved = { socialAccountId, ...more };
			return { resource: 'post', operation: 'clear', socialAccountId, key: '={{ $json.text }}' };
		});
		expect((await flow.run(items('7', '8'))).status).toBe('success');
		await flow.set(() => saved);
		expect(texts.in(await flow.run(items('6', '7', '8', '9')))).toEqual([
			...['skipped', '7', '8', 'skipped'],
		]);
	});
});

test('a file that a webhook processor has received is posted, and no token of its link is left', async () => {
	// Fetches media, which would fail in the other tests.
	const emulator = await startEmulator({ fetchMedia: true });
	const { url: baseUrl, appSecret } = emulator;
	const credential = await ready({ baseUrl, appSecret });
	const flow = await FileFlow.start(
		{ rest: setup.rest, emulator },
		credential,
		() => queue.webhook.url,
	);
	try {
		const { status, raw } = await flow.byWebhook();
		expect(status).toBe('success');
		// The default in queue mode.
		expect(raw).toContain('"database:');
		const [made] = emulator.posts;
		expect(made).toMatchObject({ status: 'published', media: [{ sha256: pictureSha256 }] });
		const links = linksOf(JSON.stringify(made!.request));
		expect(await download(links[0]!)).toMatchObject({ sha256: pictureSha256 });
		const { userFolder } = setup.n8n;
		const texts = { ...queue.kept(), raw };
		expect(sweep(tokenStarts(links), { userFolder, texts })).toStrictEqual([]);
	} finally {
		await flow.stop();
		await emulator.stop();
	}
});

test(
	'killed workers lose no key and publish no key twice, and their executions end as documented',
	async () => await testKills(queue),
	900_000,
);

test('a worker that receives SIGTERM finishes its executions first', async () => {
	const flow = await PostFlow.active(setup, await ready());
	setup.emulator.adjust({ latencyMs: 500 });
	const id = await flow.start(items(...numbers(30)));
	await until(() => posted().posts > 0, 60_000);
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
	expect(urls.length).toBeGreaterThan(80);
	expect(await setup.sweep({ ...queue.kept(), URLs: urls.join('\n') })).toEqual([]);
});
