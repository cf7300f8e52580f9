import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseLock } from './databaseLock';
import { thisHost } from '../n8n/hosts';
import { postOfText, until } from './postFlow';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';
import { RESPONSE_TIMEOUT_MS, send, TriggerFlow, type Reply } from './triggerFlow';

let setup: Setup;
let credential: Credential;
beforeAll(async () => {
	setup = await Setup.start();
	credential = await setup.credential('platform', { signatureRecipe: 'timestampBody' });
});
afterAll(async () => await setup?.stop());

let number = 0;
const event = () => ({
	id: `evt_${++number}`,
	data: { action_sn: `SA${number}`, social_post_id: number, status: 'published' },
});

const recipe = 'timestampBody';

/** A signed delivery that is not sent yet. */
async function prepared(): Promise<{ headers: Record<string, string>; body: string }> {
	const url = `${setup.emulator.url}/nowhere`;
	return await setup.emulator.deliver(event(), { url, recipe });
}

const resultOf = ({ status, body }: Reply) => [
	status,
	(JSON.parse(body) as { result?: string }).result,
];

describe('500 changed deliveries', () => {
	const DELIVERIES = 500;

	/** Replaces one character of a text. */
	function changed(text: string, at: number): string {
		const other = text[at] === 'x' ? 'y' : 'x';
		return text.slice(0, at) + other + text.slice(at + 1);
	}

	it('are all refused with a response and start nothing', async () => {
		const flow = await TriggerFlow.active(setup, credential);
		const { headers, body } = await prepared();
		const signed = ['X-Webhook-Signature', 'X-Webhook-Timestamp'] as const;
		const statuses: Record<number, number> = {};
		let slowest = 0;
		for (let index = 0; index < DELIVERIES; index++) {
			const name = signed[index % 4];
			const own =
				name === undefined
					? { headers, body: changed(body, index % body.length) }
					: {
							headers: {
								...headers,
								[name]: changed(headers[name]!, (index >> 2) % headers[name]!.length),
							},
							body,
						};
			// n8n itself refuses invalid JSON, so the body is sent as plain text.
			const reply = await send(
				flow.url,
				{ ...own.headers, 'Content-Type': 'text/plain' },
				own.body,
			);
			statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
			slowest = Math.max(slowest, reply.durationMs);
		}
		process.stdout.write(
			`\n${DELIVERIES} changed deliveries against n8n: ${JSON.stringify(statuses)}, slowest response ${slowest} ms.\n`,
		);
		expect(statuses).toEqual({ 401: DELIVERIES });
		expect(resultOf(await send(flow.url, headers, body))).toEqual([200, 'accepted']);
		expect(await flow.succeeded(1)).toBe(1);
		expect(await flow.count()).toBe(1);
	});
});

describe('200 events of which every second response is lost', () => {
	const EVENTS = 200;

	it('are sent again and start exactly 200 executions', async () => {
		const flow = await TriggerFlow.active(setup, credential);
		setup.emulator.setWebhook(flow.url, recipe);
		await fetch(`${setup.emulator.url}/__emulator/webhook`, {
			method: 'POST',
			body: JSON.stringify({ dropEveryNth: 2, retryDelaysMs: [50, 100, 200, 400, 800, 1600] }),
		});
		const sent = Array.from({ length: EVENTS }, event);
		const deliveries = [];
		for (let index = 0; index < EVENTS; index += 10) {
			const some = sent.slice(index, index + 10);
			deliveries.push(
				...(await Promise.all(
					some.map(async (one) => await setup.emulator.deliver(one, { retry: true })),
				)),
			);
		}
		const attempts = deliveries.flatMap((delivery) => delivery.attempts);
		expect(deliveries.map(({ state }) => state)).toEqual(Array(EVENTS).fill('delivered'));
		expect(attempts.length).toBeGreaterThanOrEqual(EVENTS * 1.5);
		expect(await flow.succeeded(EVENTS)).toBe(EVENTS);
		expect(await flow.count()).toBe(EVENTS);
		process.stdout.write(
			`\n${EVENTS} events in ${attempts.length} attempts: ${await flow.count()} executions.\n`,
		);
		setup.emulator.reset();
	});
});

/** SQLite waits one second for a lock, and then fails. */
const SHORT_LOCK_MS = 400;
const LONG_LOCK_MS = 3_000;

/** n8n 1 responds to a delivery before it stores the execution, and may lose it. */
const storesFirst = thisHost.behaviour.storesBeforeResponding;

/**
 * Repeats a delivery for which the machine was too slow. A duplicate waits 800 ms for the first delivery,
 * and SQLite waits one second for a lock.
 */
async function fastEnough<T extends { ms: number }>(deliver: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		const found = await deliver();
		if (found.ms < 700 || tries === 5) return found;
	}
}

describe('while n8n cannot store an execution', () => {
	it('duplicates wait for the first delivery, which starts one execution', async () => {
		const { flow, replies } = await fastEnough(async () => {
			const flow = await TriggerFlow.active(setup, credential);
			const { headers, body } = await prepared();
			const lock = await DatabaseLock.hold(setup.n8n.userFolder);
			const started = Date.now();
			const pending = [1, 2, 3].map(async () => await send(flow.url, headers, body));
			await pause(SHORT_LOCK_MS);
			await lock.release();
			const replies = await Promise.all(pending);
			return { flow, replies, ms: Date.now() - started };
		});
		expect(replies.map(resultOf).sort()).toEqual([
			[200, 'accepted'],
			[200, 'duplicate'],
			[200, 'duplicate'],
		]);
		expect(await flow.succeeded(1)).toBe(1);
		expect(await flow.count()).toBe(1);
	});

	if (storesFirst) {
		it('a delivery fails after a long time, and its repetition starts one execution', async () => {
			const flow = await TriggerFlow.active(setup, credential);
			const { headers, body } = await prepared();
			const lock = await DatabaseLock.hold(setup.n8n.userFolder);
			const reply = send(flow.url, headers, body);
			await Promise.race([reply, pause(RESPONSE_TIMEOUT_MS / 2)]);
			await lock.release();
			expect((await reply).status).toBe(500);
			expect(resultOf(await send(flow.url, headers, body))).toEqual([200, 'accepted']);
			expect(await flow.succeeded(1)).toBe(1);
			expect(await flow.count()).toBe(1);
		});

		it('a sender that closes the connection and sends again starts one execution', async () => {
			const { flow, reply } = await fastEnough(async () => {
				const flow = await TriggerFlow.active(setup, credential);
				const { headers, body } = await prepared();
				const lock = await DatabaseLock.hold(setup.n8n.userFolder);
				const started = Date.now();
				const signal = AbortSignal.timeout(SHORT_LOCK_MS);
				const closed = fetch(flow.url, { method: 'POST', headers, body, signal });
				await expect(closed).rejects.toThrow(/timeout/);
				await lock.release();
				const reply = await send(flow.url, headers, body);
				return { flow, reply, ms: Date.now() - started };
			});
			expect(resultOf(reply)).toEqual([200, 'duplicate']);
			expect(await flow.succeeded(1)).toBe(1);
			expect(await flow.count()).toBe(1);
		});
	} else {
		it('n8n 1 responds with 200, and loses the delivery after a long time', async () => {
			const flow = await TriggerFlow.active(setup, credential);
			const { headers, body } = await prepared();
			const lock = await DatabaseLock.hold(setup.n8n.userFolder);
			expect(resultOf(await send(flow.url, headers, body))).toEqual([200, 'accepted']);
			await pause(LONG_LOCK_MS);
			await lock.release();
			expect(resultOf(await send(flow.url, headers, body))).toEqual([200, 'duplicate']);
			await pause(SHORT_LOCK_MS);
			expect(await flow.count()).toBe(0);
		});
	}
});

describe('a crash of n8n before it stores a delivery', () => {
	/** Kills n8n during a delivery and starts it again. */
	const interrupted = async (delivered: (reply: Promise<Reply>) => Promise<unknown>) => {
		const flow = await TriggerFlow.active(setup, credential);
		const { headers, body } = await prepared();
		const lock = await DatabaseLock.hold(setup.n8n.userFolder);
		const reply = send(flow.url, headers, body);
		reply.catch(() => undefined);
		await delivered(reply);
		setup.n8n.kill('SIGKILL');
		await setup.n8n.ended;
		await lock.release();
		await setup.restart();
		return { flow, reply, again: async () => await send(flow.url, headers, body) };
	};

	if (storesFirst) {
		it('leaves it without a response, and the workflow runs once when it is sent again', async () => {
			const { flow, reply, again } = await interrupted(async () => await pause(SHORT_LOCK_MS));
			const failed = reply.then(({ status }) => status >= 500);
			expect(await failed.catch(() => true)).toBe(true);
			expect(resultOf(await again())).toEqual([200, 'accepted']);
			expect(await flow.succeeded(1)).toBe(1);
			expect(await flow.count()).toBe(1);
		});
	} else {
		it('loses the delivery after a response with 200', async () => {
			const { flow, reply } = await interrupted(async (one) => await one);
			expect(resultOf(await reply)).toEqual([200, 'accepted']);
			expect(await flow.count()).toBe(0);
		});
	}
});

describe('a crash of n8n during an execution', () => {
	it('keeps the delivery for a retry, which sends a post without a key again', async () => {
		const text = '={{ "About " + $json.event_id }}';
		const next = postOfText(credential, { parameters: { text } });
		const flow = await TriggerFlow.active(setup, credential, {}, next);
		const posted = () =>
			setup.emulator.posts.map(({ request }) => (request as { text: string }).text);
		setup.emulator.fault({ operation: 'createPost', kind: 'no-answer' });
		const delivered = event();
		const to = { url: `${setup.emulator.url}/nowhere`, recipe } as const;
		const { headers, body } = await setup.emulator.deliver(delivered, to);
		expect(resultOf(await send(flow.url, headers, body))).toEqual([200, 'accepted']);
		await until(() => posted().length === 1);
		// n8n must have logged the node's start to give the execution its message.
		await pause(2_000);
		setup.n8n.kill('SIGKILL');
		await setup.n8n.ended;
		await setup.restart();
		const { id, status, error } = await flow.newest();
		expect(status).toBe('crashed');
		expect(error?.message).toBe('Workflow did not finish, possible out-of-memory issue');
		const retried = await setup.rest.retry(id);
		expect(retried.status).toBe('success');
		expect(retried.runs.Status?.at(-1)?.data?.main[0]?.[0]?.json).toMatchObject({
			event_id: delivered.id,
		});
		expect(posted()).toEqual(Array(2).fill(`About ${delivered.id}`));
	});
});

test('n8n contains no secret after these tests', async () => {
	expect(await setup.sweep()).toEqual([]);
});
