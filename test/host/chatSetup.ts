import type { ReceivedRequest } from '../emulator';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';

/** The requests that contain the App Secret outside the header of the chat requests. */
export const showing = (secret: string, received: ReceivedRequest[]) =>
	received.filter(({ headers: { authorization: _, ...headers }, ...request }) => {
		const text = JSON.stringify([headers, request]);
		return text.includes(secret) || text.includes(encodeURIComponent(secret));
	});

/**
 * Starts n8n once for the tests of a file, with a credential that has a token, and resets the platform
 * before each test. After each test it checks that the secret was sent in its header only, and that no
 * token was requested or sent.
 */
export function useChatSetup(
	onReady: (ready: { setup: Setup; credential: Credential }) => void,
): void {
	let setup: Setup;
	let token: string;
	beforeAll(async () => {
		setup = await Setup.start();
		const credential = await setup.credential('platform');
		await setup.rest.testCredential(credential);
		token = setup.emulator.tokens[0]!.token;
		onReady({ setup, credential });
	});
	afterAll(async () => await setup?.stop());
	beforeEach(() => setup.emulator.reset());
	afterEach(() => {
		const { appSecret, received } = setup.emulator;
		expect(setup.arrived('getAccessToken')).toBe(0);
		expect(JSON.stringify(received)).not.toContain(token);
		expect(showing(appSecret, received)).toStrictEqual([]);
	});
}
