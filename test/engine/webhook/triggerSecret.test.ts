import { pass, stopClock } from '../harness/clock';
import { event, useTrigger } from '../harness/triggerPlatform';

// The tests move `Date` forward instead of waiting.
beforeEach(stopClock);
const platform = useTrigger();

const statusOf = async (secret?: string) => (await platform.deliver(event(), { secret }))!.status;
const reads = () => platform.store.reads;

describe('The credential of the trigger', () => {
	test('is read once for simultaneous deliveries', async () => {
		await Promise.all(Array.from({ length: 10 }, async () => await statusOf()));
		expect(platform.host.executions).toHaveLength(10);
		expect(reads()).toBe(1);
	});

	test('is read again after 30 seconds', async () => {
		await statusOf();
		pass(29_999);
		await statusOf();
		expect(reads()).toBe(1);
		pass(1);
		await statusOf();
		expect(reads()).toBe(2);
	});

	test('is read again after the clock was set back', async () => {
		await statusOf();
		pass(-3_600_000);
		await statusOf();
		expect(reads()).toBe(2);
	});

	test('is replaced immediately when the node uses another one', async () => {
		await statusOf();
		platform.store.stored.set('2', { ...platform.credential, appSecret: 'of another app' });
		platform.host.node.credentials!.socialOpenPlatformApi!.id = '2';
		expect(await statusOf('of another app')).toBe(200);
		expect(await statusOf()).toBe(401);
	});
});

describe('A changed secret', () => {
	beforeEach(async () => {
		await statusOf();
		platform.credential.appSecret = 'a new secret';
	});

	test('takes effect immediately', async () => {
		expect(await statusOf('a new secret')).toBe(200);
		expect(reads()).toBe(2);
	});

	test('replaces the former secret after 30 seconds, or with its first delivery', async () => {
		await statusOf('a new secret');
		expect(await statusOf()).toBe(401);
		platform.credential.appSecret = 'a newer secret';
		pass(30_000);
		expect(await statusOf('a new secret')).toBe(401);
	});

	test('takes effect for simultaneous deliveries with one read', async () => {
		platform.store.reading = async () => await new Promise((resolve) => setTimeout(resolve, 100));
		const options = { secret: 'a new secret' };
		const all = Array.from(
			{ length: 10 },
			async () => (await platform.emulator.deliver(event(), options)).attempts[0]?.status,
		);
		expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
		expect(reads()).toBe(2);
	});
});

test('A changed signature method takes effect immediately', async () => {
	await statusOf();
	platform.credential.signatureRecipe = 'bodySha512';
	expect(await platform.deliver(event(), { recipe: 'bodySha512' })).toMatchObject({ status: 200 });
});

describe('Refused deliveries', () => {
	test('cause at most one read of the credential in a second if they are forged', async () => {
		await statusOf();
		for (let i = 0; i < 20; i++) expect(await statusOf('forged')).toBe(401);
		expect(reads()).toBe(2);
		pass(999);
		await statusOf('forged');
		expect(reads()).toBe(2);
		pass(1);
		for (let i = 0; i < 20; i++) expect(await statusOf('forged')).toBe(401);
		expect(reads()).toBe(3);
	});

	test('cause no read if their signature is valid', async () => {
		await statusOf();
		pass(1_000);
		const asText = { headers: { 'Content-Type': 'text/plain' } };
		expect(await platform.deliver('no JSON', asText)).toMatchObject({ status: 400 });
		expect(reads()).toBe(1);
	});
});

test('A failed read of the credential is not cached', async () => {
	platform.store.reading = () => {
		throw new Error('The database is not available');
	};
	expect(await statusOf()).toBe(503);
	platform.store.reading = () => {};
	expect(await statusOf()).toBe(200);
});
