import { away, holdStorage, soon } from '../harness/storage';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const accepted = { status: 200, body: { ok: true, result: 'accepted', events: 1 } };
const duplicate = { status: 200, body: { ok: true, result: 'duplicate' } };
const later = { status: 503, body: { ok: false, error: 'try-again-later' } };

let platform: TriggerPlatform;
beforeEach(async () => {
	// The sender waits for its answer this long, and then hangs up.
	platform = await startTrigger({}, { webhookTimeoutMs: 10_000 });
});
afterEach(async () => await platform.stop());

describe('A delivery that n8n could not store', () => {
	test('is answered with 500 and accepted when it comes again', async () => {
		const payload = event();
		platform.host.storing = away;
		expect(await platform.deliver(payload)).toMatchObject({ status: 500 });
		expect(await platform.deliver(payload)).toMatchObject({ status: 500 });
		platform.host.storing = () => {};
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(1);
	});
});

describe('A repetition that comes while n8n stores the delivery', () => {
	test('waits, and is a duplicate when that succeeds', async () => {
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		const second = platform.emulator.deliver(payload);
		await soon();
		expect(platform.host.told).toEqual([]);
		storage.succeed();
		await Promise.all([first, second]);
		expect(platform.host.told).toEqual([accepted, duplicate]);
		expect(platform.host.executions).toHaveLength(1);
	});

	test('waits, and starts the workflow in its place when that does not succeed', async () => {
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		const others = [platform.emulator.deliver(payload), platform.emulator.deliver(payload)];
		await soon();
		platform.host.storing = () => {};
		storage.fail();
		await Promise.all([first, ...others]);
		expect(platform.host.told.map(({ status }) => status)).toEqual([500, 200, 200]);
		expect(platform.host.told).toEqual(expect.arrayContaining([accepted, duplicate]));
		expect(platform.host.executions).toHaveLength(1);
	});

	test('is put off when that takes long, so that its sender does not wait', async () => {
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		const started = Date.now();
		expect(await platform.deliver(payload)).toEqual(later);
		expect(Date.now() - started).toBeGreaterThanOrEqual(750);
		expect(platform.host.executions).toEqual([]);
		storage.succeed();
		await first;
		expect(await platform.deliver(payload)).toEqual(duplicate);
	});

	test('starts the workflow at once where repetitions are let through', async () => {
		platform.host.node.parameters = { options: { duplicateWindow: 0 } };
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		platform.host.storing = () => {};
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(platform.host.told).toHaveLength(1);
		storage.succeed();
		await first;
		expect(platform.host.executions).toHaveLength(2);
	});

	test('does not hold up other deliveries', async () => {
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(event());
		await begun;
		platform.host.storing = () => {};
		expect(await platform.deliver(event())).toEqual(accepted);
		storage.succeed();
		await first;
	});
});

test('Of twenty at the same time one starts the workflow', async () => {
	const payload = event();
	const all = Array.from({ length: 20 }, async () => await platform.emulator.deliver(payload));
	await Promise.all(all);
	const { told, executions } = platform.host;
	expect(executions).toHaveLength(1);
	expect(
		told.filter(({ body }) => (body as { result: string }).result === 'duplicate'),
	).toHaveLength(19);
});
