import { failToStore, holdStorage } from '../harness/storage';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const accepted = { status: 200, body: { ok: true, result: 'accepted', events: 1 } };
const duplicate = { status: 200, body: { ok: true, result: 'duplicate' } };
const tryAgainLater = { status: 503, body: { ok: false, error: 'try-again-later' } };

let platform: TriggerPlatform;
beforeEach(async () => {
	platform = await startTrigger();
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
	test('gets the status 503, and is a duplicate after n8n succeeded', async () => {
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		expect(await platform.deliver(payload)).toEqual(tryAgainLater);
		expect(platform.host.executions).toEqual([]);
		storage.succeed();
		await first;
		expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(1);
	});

	test('gets the status 503, and starts the workflow after n8n failed', async () => {
		const payload = event();
		const { begun, ...storage } = holdStorage(platform.host);
		const first = platform.emulator.deliver(payload);
		await begun;
		expect(await platform.deliver(payload)).toEqual(tryAgainLater);
		platform.host.storing = () => {};
		storage.fail();
		await first;
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(1);
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
	expect(responses).toHaveLength(20);
	expect(responses.filter(({ status }) => status === 200)).toContainEqual(accepted);
	for (const response of responses)
		expect([accepted, duplicate, tryAgainLater]).toContainEqual(response);
});
