import type { N8nOptions } from '../n8n/n8n';
import { PostFlow } from './postFlow';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';

/** What the tests of posting play with. */
export interface PostSetup {
	setup: Setup;
	credential: Credential;
	flow: PostFlow;
}

/** Sets it once for the tests of a file, and before each of them empties the platform. */
export function usePostSetup(begun: (set: PostSetup) => unknown, options: N8nOptions = {}): void {
	let setup: Setup | undefined;
	let set: PostSetup | undefined;
	beforeAll(async () => {
		setup = await Setup.start(options);
		const credential = await setup.credential('platform');
		set = { setup, credential, flow: new PostFlow(setup, credential) };
		await begun(set);
	});
	afterAll(async () => await setup?.stop());
	/** A reset ends all tokens; the test of the credential fetches one that is good again. */
	beforeEach(async () => {
		set?.setup.emulator.reset();
		if (set) await set.setup.rest.testCredential(set.credential);
	});
}
