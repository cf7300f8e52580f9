import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseLock } from './databaseLock';
import { thisHost } from '../n8n/hosts';
import { postOfText, until } from './postFlow';
import type { Credential } from '../n8n/rest';
import { Stage } from '../n8n/stage';
import { send, TriggerFlow, type Reply } from './triggerFlow';

let stage: Stage;
let credential: Credential;
beforeAll(async () => {
	stage = await Stage.set();
	credential = await stage.credential('platform', { signatureRecipe: 'timestampBody' });
});
afterAll(async () => await stage?.strike());

let number = 0;
const event = () => ({
	id: `evt_${++number}`,
	data: { action_sn: `SA${number}`, social_post_id: number, status: 'published' },
});

const recipe = 'timestampBody';

/** A delivery as the platform sends it, for sending it by hand. */
async function prepared(): Promise<{ headers: Record<string, string>; body: string }> {
	const url = `${stage.emulator.url}/nowhere`;
	return await stage.emulator.deliver(event(), { url, recipe });
}

const said = ({ status, body }: Reply) => [
	status,
	(JSON.parse(body) as { result?: string }).result,
];

describe('500 changed deliveries', () => {
	const TRIES = 500;

	/** Another character at one place of a text. */
	function changed(text: string, at: number): string {
		const other = text[at] === 'x' ? 'y' : 'x';
		return text.slice(0, at) + other + text.slice(at + 1);
	}

	it('are all refused, each with an answer, and start nothing', async () => {
		const flow = await TriggerFlow.active(stage, credential);
		const { headers, body } = await prepared();
		const signed = ['X-Webhook-Signature', 'X-Webhook-Timestamp'] as const;
		const statuses: Record<number, number> = {};
		let slowest = 0;
		for (let index = 0; index < TRIES; index++) {
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
			// As plain text, so that n8n lets a broken body through to the trigger.
			const reply = await send(
				flow.url,
				{ ...own.headers, 'Content-Type': 'text/plain' },
				own.body,
			);
			statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
			slowest = Math.max(slowest, reply.durationMs);
		}
		process.stdout.write(
			`\n${TRIES} changed deliveries against n8n: ${JSON.stringify(statuses)}, slowest answer ${slowest} ms.\n`,
		);
		expect(statuses).toEqual({ 401: TRIES });
		expect(said(await send(flow.url, headers, body))).toEqual([200, 'accepted']);
		expect(await flow.succeeded(1)).toBe(1);
		expect(await flow.count()).toBe(1);
	});
});

describe('200 events of which the platform loses every second answer', () => {
	const EVENTS = 200;

	it('are delivered again, and start exactly 200 executions', async () => {
		const flow = await TriggerFlow.active(stage, credential);
		stage.emulator.setWebhook(flow.url, recipe);
		await fetch(`${stage.emulator.url}/__emulator/webhook`, {
			method: 'POST',
			body: JSON.stringify({ dropEveryNth: 2, retryDelaysMs: [50, 100, 200, 400, 800, 1600] }),
		});
		const sent = Array.from({ length: EVENTS }, event);
		const deliveries = [];
		for (let index = 0; index < EVENTS; index += 10) {
			const some = sent.slice(index, index + 10);
			deliveries.push(
				...(await Promise.all(
					some.map(async (one) => await stage.emulator.deliver(one, { retry: true })),
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
		stage.emulator.reset();
	});
});

/** SQLite gives up on a lock after a second; below that, n8n waits, and stores in the end. */
const A_MOMENT_MS = 400;
const TOO_LONG_MS = 3_000;

/** n8n 1 answers a delivery before it stores anything of it: what it then cannot store is lost. */
const storesFirst = thisHost.does.storeBeforeAnswering;

describe('while n8n cannot store an execution', () => {
	it('repetitions wait for the first delivery, and one execution is started', async () => {
		const flow = await TriggerFlow.active(stage, credential);
		const { headers, body } = await prepared();
		const lock = await DatabaseLock.hold(stage.n8n.userFolder);
		const replies = [1, 2, 3].map(async () => await send(flow.url, headers, body));
		await pause(A_MOMENT_MS);
		await lock.release();
		expect((await Promise.all(replies)).map(said).sort()).toEqual([
			[200, 'accepted'],
			[200, 'duplicate'],
			[200, 'duplicate'],
		]);
		expect(await flow.succeeded(1)).toBe(1);
		expect(await flow.count()).toBe(1);
	});

	if (storesFirst) {
		it('for too long, the delivery is not taken, and its repetition starts one execution', async () => {
			const flow = await TriggerFlow.active(stage, credential);
			const { headers, body } = await prepared();
			const lock = await DatabaseLock.hold(stage.n8n.userFolder);
			const reply = send(flow.url, headers, body);
			await pause(TOO_LONG_MS);
			await lock.release();
			expect((await reply).status).toBe(500);
			expect(said(await send(flow.url, headers, body))).toEqual([200, 'accepted']);
			expect(await flow.succeeded(1)).toBe(1);
			expect(await flow.count()).toBe(1);
		});

		it('a sender that hangs up and sends again starts one execution', async () => {
			const flow = await TriggerFlow.active(stage, credential);
			const { headers, body } = await prepared();
			const lock = await DatabaseLock.hold(stage.n8n.userFolder);
			const signal = AbortSignal.timeout(A_MOMENT_MS);
			const hangsUp = fetch(flow.url, { method: 'POST', headers, body, signal });
			await expect(hangsUp).rejects.toThrow(/timeout/);
			await lock.release();
			expect(said(await send(flow.url, headers, body))).toEqual([200, 'duplicate']);
			expect(await flow.succeeded(1)).toBe(1);
			expect(await flow.count()).toBe(1);
		});
	} else {
		it('for too long, n8n has said already that it took the delivery, and loses it', async () => {
			const flow = await TriggerFlow.active(stage, credential);
			const { headers, body } = await prepared();
			const lock = await DatabaseLock.hold(stage.n8n.userFolder);
			expect(said(await send(flow.url, headers, body))).toEqual([200, 'accepted']);
			await pause(TOO_LONG_MS);
			await lock.release();
			expect(said(await send(flow.url, headers, body))).toEqual([200, 'duplicate']);
			await pause(A_MOMENT_MS);
			expect(await flow.count()).toBe(0);
		});
	}
});

describe('n8n killed between taking a delivery in and storing it', () => {
	/** A delivery that n8n was killed at, and started again after. */
	const interrupted = async () => {
		const flow = await TriggerFlow.active(stage, credential);
		stage.emulator.setWebhook(flow.url, recipe);
		await fetch(`${stage.emulator.url}/__emulator/webhook`, {
			method: 'POST',
			body: JSON.stringify({ retryDelaysMs: Array(60).fill(1_000) }),
		});
		const lock = await DatabaseLock.hold(stage.n8n.userFolder);
		const delivered = stage.emulator.deliver(event(), { retry: true });
		await pause(A_MOMENT_MS);
		stage.n8n.kill('SIGKILL');
		await stage.n8n.ended;
		await lock.release();
		await stage.restart();
		return { flow, ...(await delivered) };
	};

	if (storesFirst) {
		it('gets it again from the platform, and runs the workflow once', async () => {
			const { flow, state, attempts } = await interrupted();
			expect(attempts[0]).toMatchObject({ status: null });
			expect(state).toBe('delivered');
			expect(await flow.succeeded(1)).toBe(1);
			expect(await flow.count()).toBe(1);
		});
	} else {
		it('has answered it by then, and loses it', async () => {
			const { flow, state, attempts } = await interrupted();
			expect(attempts).toMatchObject([{ status: 200 }]);
			expect(state).toBe('delivered');
			expect(await flow.count()).toBe(0);
		});
	}
});

describe('n8n killed while it processes a delivery', () => {
	it('keeps the delivery, and a retry processes it, posting again what has no key', async () => {
		const text = '={{ "About " + $json.event_id }}';
		const next = postOfText(credential, { parameters: { text } });
		const flow = await TriggerFlow.active(stage, credential, {}, next);
		const posted = () =>
			stage.emulator.posts.map(({ request }) => (request as { text: string }).text);
		stage.emulator.fault({ operation: 'createPost', kind: 'no-answer' });
		const delivered = event();
		const to = { url: `${stage.emulator.url}/nowhere`, recipe } as const;
		const { headers, body } = await stage.emulator.deliver(delivered, to);
		expect(said(await send(flow.url, headers, body))).toEqual([200, 'accepted']);
		await until(() => posted().length === 1);
		stage.n8n.kill('SIGKILL');
		await stage.n8n.ended;
		await stage.restart();
		const { id, status, error } = await flow.newest();
		expect(status).toBe('crashed');
		expect(error?.message).toBe('Workflow did not finish, possible out-of-memory issue');
		const retried = await stage.rest.retry(id);
		expect(retried.status).toBe('success');
		expect(retried.runs.Status?.at(-1)?.data?.main[0]?.[0]?.json).toMatchObject({
			event_id: delivered.id,
		});
		expect(posted()).toEqual(Array(2).fill(`About ${delivered.id}`));
	});
});

test('none of this leaves a secret anywhere', async () => {
	expect(await stage.sweep()).toEqual([]);
});
