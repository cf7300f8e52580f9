import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import { asking, COMPLETIONS, RESPONSES } from './chat-frames';
import type { TestClient } from './test-client';

let emulator: Emulator;
let client: TestClient;

const invalidKey = {
	status: 401,
	json: { error: { type: 'authentication_error', code: 'invalid_api_key' } },
};

describe.each([COMPLETIONS, RESPONSES])('The secret in requests to %s', (path) => {
	emulatorAroundTests((...started) => ([emulator, client] = started));

	const sent = async (headers: Record<string, string>) =>
		await client.chat(path, asking(path), headers);

	it('must be the App Secret as a bearer token, not an access token', async () => {
		const token = await client.token();
		expect((await sent({ authorization: `Bearer ${emulator.appSecret}` })).status).toBe(200);
		for (const authorization of [`Bearer ${token}`, emulator.appSecret, 'Bearer ']) {
			expect(await sent({ authorization })).toMatchObject(invalidKey);
		}
		expect(await sent({})).toMatchObject(invalidKey);
	});

	it('cannot be configured with an invalid header, and keeps its header when none is given', async () => {
		expect(() => emulator.adjust({ chatAuthHeader: 'X Key' })).toThrow("'chatAuthHeader'");
		expect(() => emulator.adjust({ chatAuthPrefix: 7 as never })).toThrow("'chatAuthPrefix'");
		emulator.adjust({ chatAuthHeader: undefined });
		expect((await sent({ authorization: `Bearer ${emulator.appSecret}` })).status).toBe(200);
	});
});
