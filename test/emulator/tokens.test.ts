import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { emulatorAroundTests } from './around-tests';
import { formEncode } from './form-encode';
import type { Emulator } from './index';
import type { TestClient } from './test-client';
import { expectedSignature } from './token-signature';

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
		const claims = Buffer.from(json.data.access_token.split('.')[1], 'base64url');
		const { iat, exp, app_id } = JSON.parse(String(claims));
		expect([exp - iat, app_id]).toEqual([7200, 'demo_app']);
		expect(emulator.tokens).toMatchObject([{ token: json.data.access_token, state: 'valid' }]);
	});

	it.each([
		['no App ID', { app_id: undefined }, 10101],
		['no signature', { signature: undefined }, 10105],
		['an unknown application', { app_id: 'someone' }, 10000],
		['another sign_ver', { sign_ver: '2.0' }, 10106],
		['a timestamp in quotes', { timestamp: `${Date.now()}` }, 10106],
		['a timestamp that is ten minutes old', { timestamp: Date.now() - 600_000 }, 10106],
		['a wrong signature', { signature: '0'.repeat(32) }, 10108],
		['an additional field that is not signed', { client: 'x' }, 10108],
	])('refuses a request with %s and responds with HTTP 200', async (_, change, code) => {
		const { status, json } = await get({ ...client.tokenRequest(), ...change });
		expect(status).toBe(200);
		expect(json).toMatchObject({ success: false, code });
		expect(emulator.tokens).toHaveLength(0);
		expect(emulator.received).toMatchObject([{ operation: 'getAccessToken', tookEffect: false }]);
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
	});

	it('accepts the time of its clients after its clock was advanced, but its tokens have expired', async () => {
		const token = await client.token();
		await emulator.advance(7201);
		expect((await client.createPost({}, token)).json.code).toBe(1001);
		expect((await get(client.tokenRequest())).json.success).toBe(true);
	});
});

test('The token signature is that of PHP, and covers every received parameter', () => {
	const file = join(__dirname, '../unit/vectors/token-signature.json');
	const { vectors } = JSON.parse(readFileSync(file, 'utf8'));
	for (const { app_id, app_secret, timestamp, query, md5 } of vectors) {
		expect(formEncode({ timestamp, app_id, sign_ver: '1.0', app_secret })).toBe(query);
		const received = { app_id, sign_ver: '1.0', timestamp, signature: 'not signed itself' };
		expect(expectedSignature(received, app_secret)).toBe(md5);
	}
	expect(formEncode({ b: [1, null, true], a: { c: 'd' } })).toBe(
		'a%5Bc%5D=d&b%5B0%5D=1&b%5B2%5D=1',
	);
});
