import type { N8nOptions } from '../n8n/n8n';
import { PostFlow } from './postFlow';
import type { Credential } from '../n8n/rest';
import { Stage } from '../n8n/stage';

/** What the tests of posting play with. */
export interface PostStage {
	stage: Stage;
	credential: Credential;
	flow: PostFlow;
}

/** Sets it once for the tests of a file, and before each of them empties the platform. */
export function usePostStage(begun: (set: PostStage) => unknown, options: N8nOptions = {}): void {
	let stage: Stage | undefined;
	let set: PostStage | undefined;
	beforeAll(async () => {
		stage = await Stage.set(options);
		const credential = await stage.credential('platform');
		set = { stage, credential, flow: new PostFlow(stage, credential) };
		await begun(set);
	});
	afterAll(async () => await stage?.strike());
	/** A reset ends all tokens; the test of the credential fetches one that is good again. */
	beforeEach(async () => {
		set?.stage.emulator.reset();
		if (set) await set.stage.rest.testCredential(set.credential);
	});
}
