import type { ReceivedRequest } from '../emulator';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';

/** An n8n with a credential that never had a token. */
export interface ChatSetup {
	setup: Setup;
	credential: Credential;
}

/** The requests that contain the App Secret outside this header. */
export const showing = (secret: string, received: ReceivedRequest[], header = 'authorization') =>
	received.filter(({ headers, ...request }) => {
		const { [header]: _, ...others } = headers;
		const text = JSON.stringify([others, request]);
		return text.includes(secret) || text.includes(encodeURIComponent(secret));
	});

/**
 * Starts n8n once for the tests of a file, and resets the platform before each test. After each test it
 * checks that no token was requested, and that the secret was sent in its header only.
 */
export function useChatSetup(onReady: (ready: ChatSetup) => void): void {
	let setup: Setup | undefined;
	beforeAll(async () => {
		setup = await Setup.start();
		onReady({ setup, credential: await setup.credential('platform') });
	});
	afterAll(async () => await setup?.stop());
	beforeEach(() => setup?.emulator.reset());
	afterEach(() => {
		if (!setup) return;
		const { appSecret, received } = setup.emulator;
		expect(setup.arrived('getAccessToken')).toBe(0);
		expect(showing(appSecret, received)).toStrictEqual([]);
	});
}
