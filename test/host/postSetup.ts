import type { EmulatorOptions } from '../emulator';
import type { N8nOptions } from '../n8n/n8n';
import { PostTexts } from './postFlow';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';

/** An n8n, a credential, and what its platform has received. */
export interface PostSetup {
	setup: Setup;
	credential: Credential;
	texts: PostTexts;
}

/** Starts n8n once for the tests of a file, and resets the platform before each test. */
export function usePostSetup(
	onReady: (set: PostSetup) => unknown,
	options: N8nOptions = {},
	platform: EmulatorOptions = {},
): void {
	let setup: Setup | undefined;
	let credential: Credential;
	beforeAll(async () => {
		setup = await Setup.start(options, platform);
		credential = await setup.credential('platform');
		await onReady({ setup, credential, texts: new PostTexts(setup.emulator) });
	});
	afterAll(async () => await setup?.stop());
	// A reset revokes all tokens. The credential test fetches a valid one.
	beforeEach(async () => {
		setup?.emulator.reset();
		await setup?.rest.testCredential(credential);
	});
}
