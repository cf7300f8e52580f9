import { pass, stopClock } from '../harness/clock';
import { holdStorage, soon, until } from '../harness/storage';
import { event, useTrigger } from '../harness/triggerPlatform';

const accepted = { status: 200, body: { ok: true, result: 'accepted', events: 1 } };
const duplicate = { status: 200, body: { ok: true, result: 'duplicate' } };
const tryAgainLater = { status: 503, body: { ok: false, error: 'try-again-later' } };

const platform = useTrigger();

describe('A repeated delivery whose sender closed the first connection', () => {
	const closeConnection = async (payload: object) => {
		const { begun, ...storage } = holdStorage(platform.host);
		const controller = new AbortController();
		const { headers } = await signed(payload);
		const body = JSON.stringify(payload);
		const { signal } = controller;
		const sent = fetch(platform.host.url, { method: 'POST', body, headers, signal });
		await begun;
		controller.abort();
		await expect(sent).rejects.toThrow();
		await soon();
		return storage;
	};
	/** Returns signed headers, which are taken from a delivery to another URL. */
	const signed = async (payload: object) =>
		await platform.emulator.deliver(payload, { url: `${platform.emulator.url}/nowhere` });

	test('is a duplicate after n8n has stored the first one', async () => {
		const payload = event();
		const storage = await closeConnection(payload);
		expect(platform.host.responses).toEqual([]);
		storage.succeed();
		await until(() => platform.host.responses.length > 0);
		expect(platform.host.responses).toEqual([accepted]);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(1);
	});

	test('gets the status 503 while n8n stores the first one', async () => {
		const payload = event();
		const storage = await closeConnection(payload);
		expect(await platform.deliver(payload)).toEqual(tryAgainLater);
		storage.succeed();
		expect(await platform.deliver(payload)).toEqual(duplicate);
	});

	test('starts the workflow after n8n failed to store the first one', async () => {
		const payload = event();
		const storage = await closeConnection(payload);
		platform.host.storing = () => {};
		storage.fail();
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(platform.host.executions).toHaveLength(1);
	});

	// With a concurrency limit, n8n stores the execution at once, but responds when it has capacity.
	test('does not start the workflow again, however late n8n responds', async () => {
		stopClock();
		const payload = event();
		const storage = await closeConnection(payload);
		platform.host.storing = () => {};
		pass(60 * 60_000);
		await soon();
		expect(await platform.deliver(payload)).toEqual(tryAgainLater);
		storage.succeed();
		await until(() => platform.host.executions.length > 0);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(1);
	});
});

test('A delivery is accepted when its sender closes the connection while n8n reads the credential', async () => {
	const payload = event();
	const controller = new AbortController();
	platform.store.reading = async () => {
		controller.abort();
		await soon();
	};
	const { headers, body } = await platform.emulator.deliver(payload, {
		url: `${platform.emulator.url}/nowhere`,
	});
	const { signal } = controller;
	const sent = fetch(platform.host.url, { method: 'POST', body, headers, signal });
	await expect(sent).rejects.toThrow();
	await until(() => platform.host.executions.length > 0);
	expect(await platform.deliver(payload)).toEqual(duplicate);
});
