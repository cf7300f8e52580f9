import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DatabaseLock } from './databaseLock';
import { byText, items, outputOf, pause, PostFlow, postOfText, until } from './postFlow';
import type { PostTexts } from './postFlow';
import type { PostSetup } from './postSetup';
import { send, TriggerFlow } from './triggerFlow';
import { thisHost } from '../n8n/hosts';
import { cpuSeconds, n8nPid } from '../n8n/n8nProcess';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

let setup: Setup;
let credential: Credential;
let texts: PostTexts;

/** SQLite waits longer for a lock. */
const SHORT_LOCK_MS = 400;

/** n8n 1 responds to a delivery before it stores the execution, and may lose it. */
const storesFirst = thisHost.behaviour.storesBeforeResponding;

let number = 0;

/** A status as the platform sends it. Each has its own ID. */
const event = (status = 'published', more: Record<string, unknown> = {}) => ({
	event: `post.${status}`,
	id: `evt_${++number}`,
	data: { action_sn: `SA${number}`, social_post_id: number, status, platform: 'PHOTO', ...more },
});

/** The headers that the emulator would send. */
async function signed(text: string, options: object = {}): Promise<Record<string, string>> {
	const nowhere = `${setup.emulator.url}/nowhere`;
	return (await setup.emulator.deliver(text, { url: nowhere, ...options })).headers;
}

/** Sends an event again until n8n has accepted it. */
async function deliver({ url }: TriggerFlow, payload: object): Promise<void> {
	const { state } = await setup.emulator.deliver(payload, { url, retry: true });
	expect(state).toBe('delivered');
}

/** Tests the trigger, and at the end a crash of n8n. */
export function testTrigger(started: () => PostSetup): void {
	beforeAll(() => ({ setup, credential, texts } = started()));

	describe('a delivery', () => {
		let flow: TriggerFlow;
		beforeAll(async () => (flow = await TriggerFlow.active(setup, credential)));

		const fresh = () => JSON.stringify(event());
		const form = new FormData();
		form.set('payload', fresh());
		const large = JSON.stringify(event('published', { filler: 'x'.repeat(2 ** 20 - 1_000) }));

		type Change = (text: string) => Buffer | FormData | string;
		const requests: Array<
			[title: string, status: number, type: string, text: string, change?: Change]
		> = [
			['of a type that n8n does not parse', 200, 'application/octet-stream', fresh()],
			['compressed with gzip', 200, 'application/json', fresh(), gzipSync],
			['of almost 1 MB', 200, 'application/json', large],
			['that is incomplete', 422, 'application/json', fresh(), (text) => text.slice(0, -9)],
			['as a form with files', 401, '', fresh(), () => form],
			['of 15 MB', 413, 'text/plain', fresh(), () => 'x'.repeat(15 * 2 ** 20)],
		];

		it.each(requests)('%s gets the status %i', async (...[, status, type, text, change]) => {
			const { 'Content-Type': _json, ...headers } = await signed(text);
			if (type !== '') headers['Content-Type'] = type;
			if (change === gzipSync) headers['Content-Encoding'] = 'gzip';
			const before = await flow.count();
			expect(await send(flow.url, headers, change ? change(text) : text)).toMatchObject({ status });
			const accepted = before + Number(status === 200);
			expect(await flow.succeeded(accepted)).toBe(accepted);
		});
	});

	test('16 MB of numbers, forged and compressed, do not delay other requests', async () => {
		const recipe = 'sortedFields';
		const own = await setup.credential('attacked', { signatureRecipe: recipe });
		const flow = await TriggerFlow.active(setup, own);
		const more = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };
		const headers = { ...(await signed('{}', { recipe })), ...more };
		const zipped = gzipSync(`{"a":[${'12345678901234567890,'.repeat(790_000)}1]}`);
		const before = cpuSeconds(n8nPid());
		expect(await send(flow.url, headers, zipped)).toMatchObject({ status: 413 });
		expect(cpuSeconds(n8nPid()) - before).toBeLessThan(1.5);
	});

	test(
		storesFirst
			? 'a delivery that n8n cannot store fails, and its repetitions start one execution'
			: 'n8n 1 responds to a delivery with 200, and loses it if it cannot store it',
		async () => {
			const flow = await TriggerFlow.active(setup, credential);
			const lock = await DatabaseLock.hold(setup.n8n.userFolder);
			const payload = event();
			const delivered = [1, 2, 3].map(async () => await deliver(flow, payload));
			if (storesFirst) {
				const statuses = () => setup.emulator.deliveries.flatMap(({ attempts }) => attempts);
				await until(() => statuses().some(({ status }) => status === 500), 60_000);
			} else {
				await Promise.all(delivered);
				// When n8n cannot store something else, it has tried to store the delivery.
				await expect(TriggerFlow.create(setup, credential)).rejects.toThrow('SQLITE_BUSY');
			}
			await lock.release();
			await Promise.all(delivered);
			if (storesFirst) expect(await flow.succeeded(1)).toBe(1);
			else expect(await flow.count()).toBe(0);
		},
	);

	test('after a crash of n8n, no key is lost, a stored delivery can be retried, and an unstored one is accepted when it is repeated', async () => {
		const keyed = await PostFlow.active(setup, credential, byText());
		await keyed.run(items('a', 'a'));
		const [skipped] = outputOf(await keyed.run(items('a')), 'Post');
		expect(skipped).toMatchObject({ skipped: true, key: 'a' });
		const text = '={{ "About " + $json.event_id }}';
		const next = { ...postOfText(credential, { parameters: { text } }), name: 'About' };
		const running = await TriggerFlow.active(setup, credential, {}, next);
		const waiting = await TriggerFlow.active(setup, credential);
		const [stored, lost] = [event(), event()];
		const about = `About ${stored.id}`;
		for (const one of ['b', about]) texts.fault(one, { kind: 'no-answer' });
		await keyed.start(items('b', 'c'));
		await deliver(running, stored);
		// n8n finds crashed executions in this file.
		const log = join(setup.n8n.userFolder, '.n8n', 'n8nEventLog.log');
		const isLogged = () => readFileSync(log, 'utf8').includes(`"nodeName":"${next.name}"`);
		await until(() => isLogged() && texts.sent().length === 3);
		const lock = await DatabaseLock.hold(setup.n8n.userFolder);
		const first = setup.emulator.deliver(lost, { url: waiting.url });
		await (storesFirst ? pause(SHORT_LOCK_MS) : first);
		setup.n8n.kill('SIGKILL');
		await setup.n8n.ended;
		await lock.release();
		await setup.restart();
		// This run waits ten seconds for the key that is still held.
		const again = keyed.run(items('a', 'c', 'b'));

		expect((await first).state).toBe(storesFirst ? 'failed' : 'delivered');
		expect(await waiting.count()).toBe(0);
		await deliver(waiting, lost);
		expect(await waiting.succeeded(1)).toBe(1);

		const { error } = await again;
		expect(error?.message).toMatch(/^It is not known whether the platform accepted post 3 of 3/);

		const { id, status } = await running.newest();
		expect(status).toBe('crashed');
		// A retry sends a post without a key again.
		expect((await setup.rest.retry(id)).status).toBe('success');
		expect(texts.sent().sort()).toEqual([about, about, 'a', 'b', 'c']);
	});
}
