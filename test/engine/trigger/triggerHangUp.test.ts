import { pass, stopClock } from '../harness/clock';
import { holdStorage, soon, until } from '../harness/storage';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const accepted = { status: 200, body: { ok: true, result: 'accepted', events: 1 } };
const duplicate = { status: 200, body: { ok: true, result: 'duplicate' } };
const later = { status: 503, body: { ok: false, error: 'try-again-later' } };

let platform: TriggerPlatform;
beforeEach(async () => {
	platform = await startTrigger();
});
afterEach(async () => {
	jest.useRealTimers();
	await platform.stop();
});

describe('When the sender hangs up while n8n stores the delivery', () => {
	const hangUp = async (payload: object) => {
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
	/** The headers of a delivery that went elsewhere. */
	const signed = async (payload: object) =>
		await platform.emulator.deliver(payload, { url: `${platform.emulator.url}/nowhere` });

	test('its repetition is a duplicate once that has succeeded', async () => {
		const payload = event();
		const storage = await hangUp(payload);
		expect(platform.host.told).toEqual([]);
		storage.succeed();
		await until(() => platform.host.told.length > 0);
		expect(platform.host.told).toEqual([accepted]);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(1);
	});

	test('its repetition is put off until then', async () => {
		const payload = event();
		const storage = await hangUp(payload);
		expect(await platform.deliver(payload)).toEqual(later);
		storage.succeed();
		expect(await platform.deliver(payload)).toEqual(duplicate);
	});

	test('its repetition starts the workflow when that has not succeeded', async () => {
		const payload = event();
		const storage = await hangUp(payload);
		platform.host.storing = () => {};
		storage.fail();
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(platform.host.executions).toHaveLength(1);
	});

	// Only `Date` stands still here: five minutes would take too long otherwise.
	test('nothing is waited for longer than five minutes', async () => {
		stopClock();
		const payload = event();
		const storage = await hangUp(payload);
		pass(5 * 60_000 - 1);
		await soon();
		expect(await platform.deliver(payload)).toEqual(later);
		pass(1);
		platform.host.storing = () => {};
		expect(await platform.deliver(payload)).toEqual(accepted);
		storage.succeed();
		await until(() => platform.host.executions.length === 2);
	});
});

test('A sender that hangs up before n8n has read the credential changes nothing', async () => {
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
