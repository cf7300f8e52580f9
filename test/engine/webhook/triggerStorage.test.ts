import { pass, stopClock } from '../harness/clock';
import { failToStore, holdStorage, soon, until } from '../harness/storage';
import { accepted, duplicate, event, tryAgainLater, useTrigger } from '../harness/triggerPlatform';

const HOUR_MS = 3_600_000;

const platform = useTrigger();

test('A delivery that n8n could not store gets the status 500, and is accepted when it is sent again', async () => {
	const payload = event();
	platform.host.storing = failToStore;
	for (let i = 0; i < 2; i++) {
		expect(await platform.deliver(payload)).toMatchObject({ status: 500 });
	}
	platform.host.storing = () => {};
	expect(await platform.deliver(payload)).toEqual(accepted);
	expect(await platform.deliver(payload)).toEqual(duplicate);
	expect(platform.host.executions).toHaveLength(1);
});

describe('A repetition while n8n stores the first delivery', () => {
	/** Sends a delivery, and may close its connection before the response. */
	const send = async (payload: object, isClosed: boolean) => {
		const { begun, ...storage } = holdStorage(platform.host);
		// The headers are those of a delivery to another URL.
		const url = `${platform.emulator.url}/nowhere`;
		const { headers, body } = await platform.emulator.deliver(payload, { url });
		const connection = new AbortController();
		const { signal } = connection;
		const sent = fetch(platform.host.url, { method: 'POST', body, headers, signal });
		await begun;
		if (isClosed) {
			connection.abort();
			await expect(sent).rejects.toThrow();
			await soon();
		}
		platform.host.storing = () => {};
		return storage;
	};

	test('of a batch gets the status 503 after a later event of its post', async () => {
		platform.host.node.parameters.events = ['*'];
		const batch = ['queued', 'processing'].map((status) => ({ action_sn: 'SA1', status }));
		const storage = await send(batch, false);
		await platform.deliver({ action_sn: 'SA1', status: 'published' });
		expect(await platform.deliver(batch)).toEqual(tryAgainLater);
		storage.fail();
		await until(() => platform.host.responses.length > 2);
		expect(await platform.deliver(batch)).toMatchObject({ status: 200 });
		expect(platform.host.executions).toHaveLength(2);
	});

	describe.each([
		['waits', false],
		['has closed the connection', true],
	])('whose sender %s', (_, isClosed) => {
		test.each([
			['is then a duplicate if n8n has succeeded', 'succeed', duplicate],
			['then starts the workflow if n8n has failed', 'fail', accepted],
		] as const)('gets the status 503, and %s', async (__, end, response) => {
			// With a concurrency limit, n8n may respond hours later.
			stopClock();
			const payload = event();
			const storage = await send(payload, isClosed);
			pass(HOUR_MS);
			expect(await platform.deliver(payload)).toEqual(tryAgainLater);
			expect(platform.host.executions).toEqual([]);
			storage[end]();
			await until(() => platform.host.responses.length > 1);
			expect(await platform.deliver(payload)).toEqual(response);
			expect(platform.host.executions).toHaveLength(1);
		});
	});
});

test('Only one of twenty simultaneous repetitions starts the workflow', async () => {
	const payload = event();
	const all = Array.from({ length: 20 }, async () => await platform.emulator.deliver(payload));
	await Promise.all(all);
	const { responses, executions } = platform.host;
	expect(executions).toHaveLength(1);
	expect(responses).toHaveLength(20);
	expect(responses.filter(({ status }) => status === 200)).toContainEqual(accepted);
	for (const response of responses)
		expect([accepted, duplicate, tryAgainLater]).toContainEqual(response);
});
