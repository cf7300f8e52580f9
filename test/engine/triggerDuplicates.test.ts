import { DeliveryMemory } from '../../nodes/SocialOpenPlatform/trigger/deliveryMemory';
import { pass, stopClock } from './clock';
import { event, startTrigger, type TriggerPlatform } from './triggerPlatform';

const HOUR_MS = 3_600_000;
const accepted = { status: 200, body: { ok: true, result: 'accepted', events: 1 } };
const duplicate = { status: 200, body: { ok: true, result: 'duplicate' } };

let platform: TriggerPlatform;
beforeEach(async () => {
	platform = await startTrigger();
});
afterEach(async () => {
	jest.useRealTimers();
	await platform.stop();
});

describe('A repetition', () => {
	test('of a delivery that has started the workflow starts nothing', async () => {
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(accepted);
		for (let i = 0; i < 3; i++) expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(1);
	});

	test('is known though it is signed anew, at another time', async () => {
		platform.credential.signatureRecipe = 'timestampBody';
		const payload = event();
		const sent = (secondsAgo: number) => ({
			recipe: 'timestampBody' as const,
			timestamp: Date.now() - secondsAgo * 1_000,
		});
		expect(await platform.deliver(payload, sent(60))).toEqual(accepted);
		expect(await platform.deliver(payload, sent(0))).toEqual(duplicate);
	});

	test('is known by its id where that is signed, and by nothing else', async () => {
		platform.credential.signatureRecipe = 'standardWebhooks';
		const payload = event();
		const as = (id: string) => ({ recipe: 'standardWebhooks' as const, id });
		expect(await platform.deliver(payload, as('m1'))).toEqual(accepted);
		expect(await platform.deliver(event(), as('m1'))).toEqual(duplicate);
		expect(await platform.deliver(payload, as('m2'))).toEqual(accepted);
	});

	test('is known by its fields where these are signed, however they are written', async () => {
		platform.credential.signatureRecipe = 'sortedFields';
		const options = { recipe: 'sortedFields' as const };
		expect(await platform.deliver('{"status":"failed","id":1}', options)).toEqual(accepted);
		expect(await platform.deliver('{ "id": 1, "status": "failed" }', options)).toEqual(duplicate);
		expect(await platform.deliver('{"status":"failed","id":2}', options)).toEqual(accepted);
	});

	test('is what a second event with the same content counts as, where no id is signed', async () => {
		expect(await platform.deliver({ action_sn: 'SA1', status: 'retrying' })).toEqual(accepted);
		expect(await platform.deliver({ action_sn: 'SA1', status: 'processing' })).toEqual(accepted);
		expect(await platform.deliver({ action_sn: 'SA1', status: 'retrying' })).toEqual(duplicate);
	});

	test('with another body is none', async () => {
		expect(await platform.deliver({ id: 'a' })).toEqual(accepted);
		expect(await platform.deliver({ id: 'b' })).toEqual(accepted);
	});

	test('that is forged is refused all the same', async () => {
		const payload = event();
		await platform.deliver(payload);
		expect(await platform.deliver(payload, { secret: 'x' })).toMatchObject({ status: 401 });
	});

	test('is none to another trigger on the same credential', async () => {
		const other = await platform.another();
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(await platform.deliver(payload, { url: other.url })).toEqual(accepted);
		expect(await platform.deliver(payload, { url: other.url })).toEqual(duplicate);
		expect([platform.host.executions, other.executions]).toMatchObject([[{}], [{}]]);
	});

	test('is none to another trigger of the same workflow', async () => {
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(accepted);
		platform.host.node.id = 'node-2';
		expect(await platform.deliver(payload)).toEqual(accepted);
	});
});

// Only `Date` stands still here: the hours would take too long otherwise.
describe('The Duplicate Window', () => {
	test.each([
		['24 hours by default', {}, 24],
		['as long as the option says', { duplicateWindow: 1 }, 1],
		['a fraction of an hour, too', { duplicateWindow: 0.5 }, 0.5],
	])('lasts %s', async (_, options, hours) => {
		stopClock();
		platform.host.node.parameters = { options };
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(accepted);
		pass(hours * HOUR_MS - 1);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		pass(1);
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(2);
	});

	test('of 0 lets every repetition through', async () => {
		platform.host.node.parameters = { options: { duplicateWindow: 0 } };
		const payload = event();
		for (let i = 0; i < 3; i++) expect(await platform.deliver(payload)).toEqual(accepted);
		expect(platform.host.executions).toHaveLength(3);
	});
});

describe('The memory of deliveries', () => {
	const done = Promise.resolve(true);

	test('holds 50,000, and forgets the oldest first', async () => {
		const memory = new DeliveryMemory();
		for (let i = 0; i < 50_001; i++) memory.begin(String(i), done);
		await done;
		expect(memory.earlier('0', HOUR_MS)).toBeUndefined();
		expect(memory.earlier('1', HOUR_MS)).toBe(true);
		expect(memory.earlier('50000', HOUR_MS)).toBe(true);
	});

	test('keeps what came in between when an earlier one of the same key is forgotten', async () => {
		const memory = new DeliveryMemory();
		let fail: (isHandedOver: boolean) => void = () => {};
		memory.begin('a', new Promise((resolve) => (fail = resolve)));
		memory.begin('a', done);
		fail(false);
		await new Promise(setImmediate);
		expect(memory.earlier('a', HOUR_MS)).toBe(true);
	});
});
