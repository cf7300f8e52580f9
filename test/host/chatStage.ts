import type { ReceivedRequest } from '../emulator';
import type { Credential } from '../n8n/rest';
import { Stage } from '../n8n/stage';

/** What the tests of chat play with: a credential that never had a token. */
export interface ChatStage {
	stage: Stage;
	credential: Credential;
}

/** The requests that carry the app secret anywhere but in this header. */
export const showing = (secret: string, received: ReceivedRequest[], header = 'authorization') =>
	received.filter(({ headers, ...request }) => {
		const { [header]: _, ...others } = headers;
		const said = JSON.stringify([others, request]);
		return said.includes(secret) || said.includes(encodeURIComponent(secret));
	});

/**
 * Sets it once for the tests of a file, and empties the platform before each of them. After each,
 * nobody has asked for a token, and the secret has travelled in its header only.
 */
export function useChatStage(begun: (set: ChatStage) => void): void {
	let stage: Stage | undefined;
	beforeAll(async () => {
		stage = await Stage.set();
		begun({ stage, credential: await stage.credential('platform') });
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
