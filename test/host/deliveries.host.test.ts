import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseLock } from './databaseLock';
import { thisHost } from '../n8n/hosts';
import { pause, postOfText, until } from './postFlow';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';
import { TriggerFlow } from './triggerFlow';

let setup: Setup;
let credential: Credential;
beforeAll(async () => {
	const webhookRecipe = 'timestampBody';
	setup = await Setup.start(
		{},
		{ webhookRecipe, webhookRetryDelaysMs: Array<number>(100).fill(100) },
	);
	credential = await setup.credential('platform', { signatureRecipe: webhookRecipe });
});
afterAll(async () => await setup?.stop());

let number = 0;
const event = () => ({
	id: `evt_${++number}`,
	data: { action_sn: `SA${number}`, social_post_id: number, status: 'published' },
});

/** Sends an event again until n8n has accepted it. */
async function deliver({ url }: TriggerFlow, payload: object): Promise<void> {
	const { state } = await setup.emulator.deliver(payload, { url, retry: true });
	expect(state).toBe('delivered');
}

const attempts = () => setup.emulator.deliveries.flatMap((delivery) => delivery.attempts);

test('40 events of which every second response is lost start exactly 40 executions', async () => {
	const flow = await TriggerFlow.active(setup, credential);
	await fetch(`${setup.emulator.url}/__emulator/webhook`, {
		method: 'POST',
		body: JSON.stringify({ dropEveryNth: 2 }),
	});
	await Promise.all(Array.from({ length: 40 }, async () => await deliver(flow, event())));
	expect(attempts().length).toBeGreaterThanOrEqual(60);
	expect(await flow.succeeded(40)).toBe(40);
	setup.emulator.reset();
});

/** SQLite waits longer for a lock. */
const SHORT_LOCK_MS = 400;

/** n8n 1 responds to a delivery before it stores the execution, and may lose it. */
const storesFirst = thisHost.behaviour.storesBeforeResponding;

describe('while n8n cannot store an execution', () => {
	let flow: TriggerFlow;
	let lock: DatabaseLock;
	beforeEach(async () => {
		flow = await TriggerFlow.active(setup, credential);
		lock = await DatabaseLock.hold(setup.n8n.userFolder);
	});

	if (storesFirst) {
		it('deliveries of one event fail, and their repetitions start one execution', async () => {
			const payload = event();
			const delivered = [1, 2, 3].map(async () => await deliver(flow, payload));
			await until(() => attempts().some(({ status }) => status === 500), 60_000);
			await lock.release();
			await Promise.all(delivered);
			expect(await flow.succeeded(1)).toBe(1);
		});

		it('a sender that closes the connection and sends again starts one execution', async () => {
			const payload = event();
			const nowhere = `${setup.emulator.url}/nowhere`;
			const { headers, body } = await setup.emulator.deliver(payload, { url: nowhere });
			const signal = AbortSignal.timeout(SHORT_LOCK_MS);
			const closed = fetch(flow.url, { method: 'POST', headers, body, signal });
			await expect(closed).rejects.toThrow(/timeout/);
			await lock.release();
			await deliver(flow, payload);
			expect(await flow.succeeded(1)).toBe(1);
		});
	} else {
		it('n8n 1 responds with 200, and loses the delivery after a long time', async () => {
			const payload = event();
			await deliver(flow, payload);
			// When n8n cannot store something else, it has tried to store the delivery.
			await expect(TriggerFlow.create(setup, credential)).rejects.toThrow('SQLITE_BUSY');
			await lock.release();
			await deliver(flow, payload);
			await pause(SHORT_LOCK_MS);
			expect(await flow.count()).toBe(0);
		});
	}
});

if (storesFirst) {
	it('with a concurrency limit, a delivery that is repeated before n8n has capacity starts one execution', async () => {
		const env = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' };
		const limited = await Setup.start({ env }, { webhookRecipe: 'timestampBody' });
		const { emulator } = limited;
		const own = await limited.credential('limited', { signatureRecipe: 'timestampBody' });
		const next = postOfText(own, { parameters: { text: 'Busy' }, options: { timeout: 4 } });
		const busy = await TriggerFlow.active(limited, own, {}, next);
		const flow = await TriggerFlow.active(limited, own);
		emulator.fault({ operation: 'createPost', kind: 'no-answer' });
		await emulator.deliver(event(), { url: busy.url });
		await until(() => emulator.posts.length === 1);
		const payload = event();
		const { headers, body } = await emulator.deliver(payload, { url: `${emulator.url}/nowhere` });
		const signal = AbortSignal.timeout(SHORT_LOCK_MS);
		const closed = fetch(flow.url, { method: 'POST', headers, body, signal });
		await expect(closed).rejects.toThrow(/timeout/);
		const status = async () =>
			(await emulator.deliver(payload, { url: flow.url })).attempts[0]!.status;
		expect(await status()).toBe(503);
		expect(await flow.succeeded(1)).toBe(1);
		expect(await status()).toBe(200);
		expect(await flow.count()).toBe(1);
		await limited.stop();
	});
}

describe('a crash of n8n', () => {
	const [stored, lost] = [event(), event()];
	let running: TriggerFlow;
	let waiting: TriggerFlow;
	let first: Promise<{ state: string }>;
	const posted = () =>
		setup.emulator.posts.map(({ request }) => (request as { text: string }).text);

	beforeAll(async () => {
		const text = '={{ "About " + $json.event_id }}';
		const next = postOfText(credential, { parameters: { text } });
		running = await TriggerFlow.active(setup, credential, {}, next);
		waiting = await TriggerFlow.active(setup, credential);
		setup.emulator.fault({ operation: 'createPost', kind: 'no-answer' });
		await deliver(running, stored);
		// n8n finds crashed executions in this file.
		const log = join(setup.n8n.userFolder, '.n8n', 'n8nEventLog.log');
		const isLogged = () => readFileSync(log, 'utf8').includes(`"nodeName":"${next.name}"`);
		await until(() => isLogged() && posted().length === 1);
		const lock = await DatabaseLock.hold(setup.n8n.userFolder);
		first = setup.emulator.deliver(lost, { url: waiting.url });
		await Promise.race([first, pause(SHORT_LOCK_MS)]);
		setup.n8n.kill('SIGKILL');
		await setup.n8n.ended;
		await lock.release();
		await setup.restart();
	});

	it('does not prevent the execution of an unstored delivery that is repeated', async () => {
		expect((await first).state).toBe(storesFirst ? 'failed' : 'delivered');
		expect(await waiting.count()).toBe(0);
		await deliver(waiting, lost);
		expect(await waiting.succeeded(1)).toBe(1);
	});

	it('keeps a stored delivery for a retry, which sends a post without a key again', async () => {
		const { id, status } = await running.newest();
		expect(status).toBe('crashed');
		const retried = await setup.rest.retry(id);
		expect(retried.status).toBe('success');
		expect(retried.runs.Status?.at(-1)?.data?.main[0]?.[0]?.json.event_id).toBe(stored.id);
		expect(posted()).toEqual(Array(2).fill(`About ${stored.id}`));
	});
});
