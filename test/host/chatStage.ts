import type { ReceivedRequest } from '../emulator';
import type { Credential } from '../n8n/rest';
import { Stage } from '../n8n/stage';

/** An n8n with a credential that never had a token. */
export interface ChatStage {
	stage: Stage;
	credential: Credential;
}

/** The requests that contain the App Secret anywhere but in this header. */
export const showing = (secret: string, received: ReceivedRequest[], header = 'authorization') =>
	received.filter(({ headers, ...request }) => {
		const { [header]: _, ...others } = headers;
		const said = JSON.stringify([others, request]);
		return said.includes(secret) || said.includes(encodeURIComponent(secret));
	});

/**
 * Starts n8n once for the tests of a file, and resets the platform before each test. After each test it
 * checks that no token was requested, and that the secret was sent in its header only.
 */
export function useChatStage(onReady: (ready: ChatStage) => void): void {
	let stage: Stage | undefined;
	beforeAll(async () => {
		stage = await Stage.set();
		onReady({ stage, credential: await stage.credential('platform') });
	});
	afterAll(async () => await stage?.strike());
	beforeEach(() => stage?.emulator.reset());
	afterEach(() => {
		if (!stage) return;
		const { appSecret, received } = stage.emulator;
		expect(stage.arrived('getAccessToken')).toBe(0);
		expect(showing(appSecret, received)).toStrictEqual([]);
	});
}
