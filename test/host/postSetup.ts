import type { N8nOptions } from '../n8n/n8n';
import { PostFlow } from './postFlow';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';

/** An n8n, a credential, and a workflow that posts. */
export interface PostSetup {
	setup: Setup;
	credential: Credential;
	flow: PostFlow;
}

/** Starts n8n once for the tests of a file, and resets the platform before each test. */
export function usePostSetup(onReady: (set: PostSetup) => unknown, options: N8nOptions = {}): void {
	let setup: Setup | undefined;
	let set: PostSetup | undefined;
	beforeAll(async () => {
		setup = await Setup.start(options);
		const credential = await setup.credential('platform');
		set = { setup, credential, flow: new PostFlow(setup, credential) };
		await onReady(set);
	});
	afterAll(async () => await setup?.stop());
	// A reset revokes all tokens. The credential test fetches a valid one.
	beforeEach(async () => {
		set?.setup.emulator.reset();
		if (set) await set.setup.rest.testCredential(set.credential);
	});
}
