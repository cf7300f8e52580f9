import { failToStore, holdStorage, soon } from '../harness/storage';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const accepted = { status: 200, body: { ok: true, result: 'accepted', events: 1 } };
const duplicate = { status: 200, body: { ok: true, result: 'duplicate' } };
const tryAgainLater = { status: 503, body: { ok: false, error: 'try-again-later' } };

let platform: TriggerPlatform;
beforeEach(async () => {
	// The sender waits longer than the trigger delays a duplicate.
	platform = await startTrigger({}, { webhookTimeoutMs: 10_000 });
});
afterEach(async () => await platform.stop());

describe('A delivery that n8n could not store', () => {
	test('gets the status 500 and is accepted when it is sent again', async () => {
		const payload = event();
		platform.host.storing = failToStore;
		expect(await platform.deliver(payload)).toMatchObject({ status: 500 });
		expect(await platform.deliver(payload)).toMatchObject({ status: 500 });
		platform.host.storing = () => {};
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(1);
	});
});

describe('A duplicate while n8n stores the first delivery', () => {
	test('waits, and starts no workflow when n8n succeeds', async () => {
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		const second = platform.emulator.deliver(payload);
		await soon();
		expect(platform.host.responses).toEqual([]);
		storage.succeed();
		await Promise.all([first, second]);
		expect(platform.host.responses).toEqual([accepted, duplicate]);
		expect(platform.host.executions).toHaveLength(1);
	});

	test('waits, and starts the workflow when n8n fails', async () => {
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		const others = [platform.emulator.deliver(payload), platform.emulator.deliver(payload)];
		await soon();
		platform.host.storing = () => {};
		storage.fail();
		await Promise.all([first, ...others]);
		expect(platform.host.responses.map(({ status }) => status)).toEqual([500, 200, 200]);
		expect(platform.host.responses).toEqual(expect.arrayContaining([accepted, duplicate]));
		expect(platform.host.executions).toHaveLength(1);
	});

	test('gets the status 503 when n8n takes long', async () => {
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		const started = Date.now();
		expect(await platform.deliver(payload)).toEqual(tryAgainLater);
		expect(Date.now() - started).toBeGreaterThanOrEqual(750);
		expect(platform.host.executions).toEqual([]);
		storage.succeed();
		await first;
		expect(await platform.deliver(payload)).toEqual(duplicate);
	});

	test('starts the workflow immediately when duplicates are accepted', async () => {
		platform.host.node.parameters = { options: { duplicateWindow: 0 } };
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		platform.host.storing = () => {};
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(platform.host.responses).toHaveLength(1);
		storage.succeed();
		await first;
		expect(platform.host.executions).toHaveLength(2);
	});

	test('does not delay other deliveries', async () => {
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(event());
		await begun;
		platform.host.storing = () => {};
		expect(await platform.deliver(event())).toEqual(accepted);
		storage.succeed();
		await first;
	});
});

test('Only one of twenty simultaneous duplicates starts the workflow', async () => {
	const payload = event();
	const all = Array.from({ length: 20 }, async () => await platform.emulator.deliver(payload));
	await Promise.all(all);
	const { responses, executions } = platform.host;
	expect(executions).toHaveLength(1);
	expect(
		responses.filter(({ body }) => (body as { result: string }).result === 'duplicate'),
	).toHaveLength(19);
});
