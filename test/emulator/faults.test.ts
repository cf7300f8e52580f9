import { startEmulator, type Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import { TestClient } from './test-client';

const BODY = { social_account_id: 'acc', text: 'hi' };

let emulator: Emulator;
let client: TestClient;
let token: string;

const post = async () => await client.createPost(BODY, token);

emulatorAroundTests((...started) => ([emulator, client] = started));
beforeEach(async () => {
	token = await client.token();
});

describe('A fault', () => {
	it('applies once by default, or as often as it says', async () => {
		emulator.fault({ kind: 'refused' });
		emulator.fault({ kind: 'html', times: 2 });
		const answers = [await post(), await post(), await post(), await post()];
		expect(answers.map(({ json }) => json?.success)).toEqual([false, undefined, undefined, true]);
	});

	it('applies to getAccessToken only if it is named', async () => {
		emulator.fault({ kind: 'refused' });
		token = await client.token();
		expect((await post()).json.success).toBe(false);
		emulator.fault({ kind: 'unauthorized-401', operation: 'getAccessToken' });
		const body = client.tokenRequest();
		expect((await client.send('POST', '/api/v1/getAccessToken', body)).status).toBe(401);
	});

	it('applies only to a request that takes effect if it damages the response', async () => {
		emulator.fault({ oneOf: [{ kind: 'server-error-after' }], bodyHas: 'hi' });
		expect((await client.createPost(BODY, 'stale')).json.code).toBe(10104);
		expect(emulator.received.at(-1)?.fault).toBeUndefined();
		emulator.clearFaults();
		emulator.fault({ kind: 'server-error-after' });
		expect((await client.createPost(BODY, 'stale')).json.code).toBe(10104);
		expect((await post()).status).toBe(500);
	});

	it('can be chosen from several on arrival with the seed', async () => {
		const run = async (seed: number) => {
			const seeded = await startEmulator({ seed });
			const theirs = new TestClient(seeded);
			const key = await theirs.token();
			const kinds = ['html', 'server-error-after', 'refused', 'stream-cut'] as const;
			seeded.fault({ oneOf: kinds.map((kind) => ({ kind })), rate: 0.2 });
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
		expect(new Set(struck.map(({ fault }) => fault))).toEqual(
			new Set(['html', 'server-error-after', 'refused']),
		);
		for (const { fault, tookEffect } of struck) {
			expect(tookEffect).toBe(fault === 'server-error-after');
		}
	});
});
