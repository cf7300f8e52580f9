import { createHash, createHmac } from 'node:crypto';

import { startEmulator, type Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import { TestClient } from './test-client';

describe('Get access token', () => {
	let emulator: Emulator;
	let client: TestClient;
	const get = async (body: unknown, headers = {}) =>
		await client.send('POST', '/api/v1/getAccessToken', body, headers);

	emulatorAroundTests((...started) => ([emulator, client] = started));

	it('returns a JWT with its expiry for a signed request', async () => {
		const { status, json } = await get(client.tokenRequest());
		expect(status).toBe(200);
		expect(json).toMatchObject({ success: true, message: '请求成功', code: 200 });
		expect(json.data.expires_in).toBe(7200);
		const [head, claims, mac] = json.data.access_token.split('.');
		const read = JSON.parse(Buffer.from(claims, 'base64url').toString());
		expect(read).toEqual({
			iat: expect.any(Number),
			exp: read.iat + 7200,
			jti: expect.any(String),
			app_id: 'demo_app',
		});
		const signed = createHmac('sha256', emulator.appSecret).update(`${head}.${claims}`);
		expect(mac).toBe(signed.digest('base64url'));
		expect(emulator.tokens).toMatchObject([{ token: json.data.access_token, state: 'valid' }]);
	});

	it.each([
		['no App ID', { app_id: undefined }, 10101],
		['an empty App ID', { app_id: '' }, 10101],
		['no signature', { signature: undefined }, 10105],
		['an unknown application', { app_id: 'someone' }, 10000],
		['another sign_ver', { sign_ver: '2.0' }, 10106],
		['a timestamp in quotes', { timestamp: `${Date.now()}` }, 10106],
		['a timestamp that is ten minutes old', { timestamp: Date.now() - 600_000 }, 10106],
		['a wrong signature', { signature: '0'.repeat(32) }, 10108],
		['a signature in upper case', {}, 10108],
		['an additional field that is not signed', { client: 'x' }, 10108],
	])('refuses a request and responds with HTTP 200: %s', async (title, change, code) => {
		const body: Record<string, unknown> = { ...client.tokenRequest(), ...change };
		if (title.includes('upper')) body.signature = String(body.signature).toUpperCase();
		const { status, json } = await get(body);
		expect(status).toBe(200);
		expect(json).toEqual({
			requestId: expect.any(String),
			success: false,
			message: expect.any(String),
			code,
		});
		expect(emulator.tokens).toHaveLength(0);
		expect(emulator.received).toMatchObject([{ operation: 'getAccessToken', tookEffect: false }]);
	});

	it('accepts an additional field that is signed', async () => {
		const timestamp = Date.now();
		const form = `app_id=demo_app&app_secret=${emulator.appSecret}&client=a+b&sign_ver=1.0&timestamp=${timestamp}`;
		const signature = createHash('md5').update(form).digest('hex');
		const body = { app_id: 'demo_app', sign_ver: '1.0', timestamp, client: 'a b', signature };
		expect((await get(body)).json.success).toBe(true);
	});

	it('refuses a body that is not JSON or has another content type', async () => {
		expect((await get('app_id=demo_app')).json.code).toBe(1002);
		const form = { 'content-type': 'application/x-www-form-urlencoded' };
		expect((await get(client.tokenRequest(), form)).json.code).toBe(1002);
	});

	it('revokes the earlier tokens of the application', async () => {
		const first = await client.token();
		const second = await client.token();
		expect((await client.createPost({}, first)).json.code).toBe(10104);
		expect((await client.createPost({}, second)).json.success).toBe(true);
		expect(emulator.tokens.map(({ state }) => state)).toEqual(['revoked', 'valid']);
	});

	it('keeps the earlier tokens if it is configured to', async () => {
		const lenient = await startEmulator({ revokeEarlierTokens: false });
		const other = new TestClient(lenient);
		const first = await other.token();
		await other.token();
		expect((await other.createPost({}, first)).json.success).toBe(true);
		await other.close();
		await lenient.stop();
	});

	it('still accepts the time of its clients after its clock was advanced, but its tokens have expired', async () => {
		const token = await client.token();
		await emulator.advance(7201);
		expect((await client.createPost({}, token)).json.code).toBe(1001);
		expect((await get(client.tokenRequest())).json.success).toBe(true);
	});
});
