import {
	startEmulator,
	type Emulator,
	type FaultKind,
	type FaultMix,
	type FaultSpec,
} from './index';
import { emulatorAroundTests } from './around-tests';
import { TestClient } from './test-client';

const BODY = { social_account_id: 'acc', text: 'hi' };

let emulator: Emulator;
let client: TestClient;
let token: string;

const addFault = (fault: FaultSpec | FaultMix) => emulator.fault(fault);
const post = async () => await client.createPost(BODY, token);
const last = () => emulator.received.at(-1);

emulatorAroundTests((...started) => ([emulator, client] = started));
beforeEach(async () => {
	token = await client.token();
});

describe('A fault', () => {
	it('applies once by default', async () => {
		addFault({ kind: 'refused', times: 2 });
		const outcomes = [await post(), await post(), await post()].map(({ json }) => json.success);
		expect(outcomes).toEqual([false, false, true]);
		addFault({ kind: 'refused', times: Infinity });
		for (let n = 0; n < 5; n++) expect((await post()).json.success).toBe(false);
	});

	it('can be limited to bodies that contain a text', async () => {
		addFault({ kind: 'refused', bodyHas: '"text":"two"' });
		addFault({ kind: 'server-error-after', bodyHas: '"text":"three"' });
		const answers = [];
		for (const text of ['one', 'two', 'two', 'three']) {
			answers.push(await client.createPost({ ...BODY, text }, token));
		}
		expect(answers.map(({ json }) => json.success)).toEqual([true, false, true, false]);
		expect(answers[3]?.status).toBe(500);
	});

	it('applies to getAccessToken only if it is named', async () => {
		addFault({ kind: 'refused' });
		await client.token().then((next) => (token = next));
		expect((await post()).json.success).toBe(false);
		addFault({ kind: 'unauthorized-401', operation: 'getAccessToken' });
		const body = client.tokenRequest();
		expect((await client.send('POST', '/api/v1/getAccessToken', body)).status).toBe(401);
	});

	it('applies only to a request that takes effect if it damages the response', async () => {
		addFault({ kind: 'server-error-after' });
		expect((await client.createPost(BODY, 'stale')).json.code).toBe(10104);
		expect((await post()).status).toBe(500);
	});

	it('can be chosen from several on arrival with the seed', async () => {
		const run = async (seed: number) => {
			const seeded = await startEmulator({ seed });
			const theirs = new TestClient(seeded);
			const key = await theirs.token();
			const oneOf = (['html', 'server-error-after', 'refused', 'stream-cut'] as const).map(
				(kind) => ({ kind }),
			);
			seeded.fault({ oneOf, rate: 0.2 });
			for (let n = 0; n < 100; n++) await theirs.createPost({}, key);
			await theirs.close();
			await seeded.stop();
			return seeded.received.slice(1).map(({ fault, tookEffect }) => ({ fault, tookEffect }));
		};
		const [first, again, other] = [await run(7), await run(7), await run(8)];
		expect(again).toEqual(first);
		expect(other).not.toEqual(first);
		const struck = first.filter(({ fault }) => fault !== undefined);
		expect(struck.length / first.length).toBeCloseTo(0.2, 1);
		for (const kind of ['html', 'server-error-after', 'refused']) {
			const theirs = struck.filter(({ fault }) => fault === kind);
			expect(theirs.length).toBeGreaterThan(struck.length / 8);
			expect(theirs.every((one) => one.tookEffect === (kind === 'server-error-after'))).toBe(true);
		}
	});

	it('does not apply to a request without effect if the fault chosen at random damages the response', async () => {
		addFault({ oneOf: [{ kind: 'reset-after' }], bodyHas: 'hi', times: 2 });
		addFault({ kind: 'refused' });
		expect((await client.createPost(BODY, 'stale')).json.code).toBe(10104);
		expect(last()).not.toHaveProperty('fault', 'reset-after');
		await expect(post()).rejects.toThrow();
		expect((await post()).json).toMatchObject({ success: false });
	});

	it('is rejected if it is unknown', () => {
		expect(() => addFault({ kind: 'nope' as FaultKind })).toThrow("No such fault: 'nope'");
		expect(() => addFault({ kind: 'html', rate: 2 })).toThrow("'rate'");
		expect(() => addFault({ oneOf: [] })).toThrow("'oneOf' is empty");
	});
});
