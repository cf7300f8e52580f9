import { pass, stopClock } from '../harness/clock';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

let platform: TriggerPlatform;
// Only `Date` stands still here: the lifetimes would take too long otherwise.
beforeEach(async () => {
	stopClock();
	platform = await startTrigger();
});
afterEach(async () => {
	jest.useRealTimers();
	await platform.stop();
});

const statusOf = async (secret?: string) => (await platform.deliver(event(), { secret }))!.status;

const deliveredUnder = async (secret: string) =>
	await platform.emulator.deliver(event(), { secret });

describe('The credential', () => {
	test('is read once for many deliveries', async () => {
		for (let i = 0; i < 20; i++) expect(await statusOf()).toBe(200);
		expect(platform.store.reads).toBe(1);
	});

	test('is read once for deliveries at the same time', async () => {
		await Promise.all(Array.from({ length: 10 }, async () => await statusOf()));
		expect(platform.host.executions).toHaveLength(10);
		expect(platform.store.reads).toBe(1);
	});

	test('is read again after 30 seconds', async () => {
		await statusOf();
		pass(29_999);
		await statusOf();
		expect(platform.store.reads).toBe(1);
		pass(1);
		await statusOf();
		expect(platform.store.reads).toBe(2);
	});

	test('is read for each trigger by itself', async () => {
		const other = await platform.another();
		await platform.deliver();
		await platform.deliver(event(), { url: other.url });
		expect(platform.store.reads).toBe(2);
	});

	test('that the node is given instead counts at once', async () => {
		await statusOf();
		platform.store.stored.set('2', {
			...platform.credential,
			appSecret: 'of another app',
		});
		platform.host.node.credentials!.socialOpenPlatformApi!.id = '2';
		expect(await statusOf('of another app')).toBe(200);
		expect(await statusOf()).toBe(401);
	});
});

describe('A changed secret', () => {
	test('works at once', async () => {
		await statusOf();
		platform.credential.appSecret = 'a new secret';
		expect(await statusOf('a new secret')).toBe(200);
		expect(platform.store.reads).toBe(2);
	});

	test('puts an end to the former one after 30 seconds, or with the first delivery under it', async () => {
		await statusOf();
		platform.credential.appSecret = 'a new secret';
		await statusOf('a new secret');
		expect(await statusOf()).toBe(401);
		platform.credential.appSecret = 'a newer secret';
		pass(30_000);
		expect(await statusOf('a new secret')).toBe(401);
	});

	test('works at once for all deliveries at the same time, with one reading', async () => {
		await statusOf();
		platform.credential.appSecret = 'a new secret';
		platform.store.reading = async () => await new Promise((resolve) => setTimeout(resolve, 100));
		const all = Array.from({ length: 10 }, async () => {
			return (await deliveredUnder('a new secret')).attempts[0]?.status;
		});
		expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
		expect(platform.store.reads).toBe(2);
	});

	test('works at once for a recipe, too', async () => {
		await statusOf();
		platform.credential.signatureRecipe = 'bodySha512';
		expect(await platform.deliver(event(), { recipe: 'bodySha512' })).toMatchObject({
			status: 200,
		});
	});
});

describe('Forged deliveries', () => {
	test('make the credential be read again three times in three seconds at most', async () => {
		await statusOf();
		for (let i = 0; i < 20; i++) expect(await statusOf('forged')).toBe(401);
		expect(platform.store.reads).toBe(4);
		pass(2_999);
		await statusOf('forged');
		expect(platform.store.reads).toBe(4);
		pass(1);
		for (let i = 0; i < 20; i++) expect(await statusOf('forged')).toBe(401);
		expect(platform.store.reads).toBe(7);
	});

	test('do not keep a changed secret from working', async () => {
		for (let i = 0; i < 20; i++) await statusOf('forged');
		platform.credential.appSecret = 'a new secret';
		pass(3_000);
		await statusOf('forged');
		expect(await statusOf('a new secret')).toBe(200);
	});

	test('that cannot be read as a delivery make nothing be read again', async () => {
		await statusOf();
		pass(1_000);
		expect(
			await platform.deliver('no JSON', { headers: { 'Content-Type': 'text/plain' } }),
		).toMatchObject({
			status: 400,
		});
		expect(platform.store.reads).toBe(1);
	});
});

describe('A reading that fails', () => {
	const fail = () => {
		throw new Error('The database is away');
	};

	test('is not kept', async () => {
		platform.store.reading = fail;
		expect(await statusOf()).toBe(503);
		platform.store.reading = () => {};
		expect(await statusOf()).toBe(200);
	});

	test('does no harm while what was read before is fresh', async () => {
		await statusOf();
		platform.store.reading = fail;
		pass(29_999);
		expect(await statusOf()).toBe(200);
		pass(1);
		expect(await statusOf()).toBe(503);
	});

	test('of an unusable credential is not kept either', async () => {
		platform.credential.appSecret = '';
		expect(await statusOf()).toBe(503);
		platform.credential.appSecret = platform.emulator.appSecret;
		expect(await statusOf()).toBe(200);
	});
});
