import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { formEncode } from './form-encode';
import { useEmulator } from './test-client';
import { expectedSignature } from './token-signature';

describe('Get access token on the emulator', () => {
	const platform = useEmulator();
	const get = async (body: unknown, headers = {}) =>
		await platform.client.send('POST', '/api/v1/getAccessToken', body, headers);

	it('returns a JWT with its expiry for a signed request', async () => {
		const { json } = await get(platform.client.tokenRequest());
		expect(json).toMatchObject({ success: true, code: 200, data: { expires_in: 7200 } });
		const claims = Buffer.from(json.data.access_token.split('.')[1], 'base64url');
		const { iat, exp, app_id } = JSON.parse(String(claims));
		expect([exp - iat, app_id]).toEqual([7200, 'demo_app']);
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
		const { status, json } = await get({ ...platform.client.tokenRequest(), ...change });
		expect([status, json.success, json.code]).toEqual([200, false, code]);
		expect(platform.emulator.tokens).toHaveLength(0);
	});

	it('refuses a body that is not JSON or has another content type', async () => {
		expect((await get('app_id=demo_app')).json.code).toBe(1002);
		const form = { 'content-type': 'application/x-www-form-urlencoded' };
		expect((await get(platform.client.tokenRequest(), form)).json.code).toBe(1002);
	});

	it('revokes the earlier tokens of the application, and lets tokens expire', async () => {
		const { client, emulator } = platform;
		const [first, second] = [await client.token(), await client.token()];
		expect((await client.createPost({}, first)).json.code).toBe(10104);
		expect((await client.createPost({}, second)).json.success).toBe(true);
		await emulator.advance(7201);
		expect((await client.createPost({}, second)).json.code).toBe(1001);
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
