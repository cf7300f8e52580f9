import { agent, chain } from './aiNodes';
import { ChatModelFlow } from './chatModelFlow';
import { thisHost } from '../n8n/hosts';
import { usePostSetup } from './postSetup';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

let setup: Setup;
let credential: Credential;
usePostSetup((set) => ({ setup, credential } = set));

it.each([...thisHost.agents.map((version) => agent(version)), chain(1.7)])(
	'the chat model reports that it needs n8n 2.16: $name $typeVersion',
	async (root) => {
		const execution = await new ChatModelFlow(setup, credential).run(root, 'hello');
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe(
			'The Social Open Platform Chat Model needs n8n 2.16 or newer',
		);
		expect(execution.error?.description).toMatch(/other nodes of this package work/);
		expect(setup.arrived('chatCompletions')).toBe(0);
	},
);
