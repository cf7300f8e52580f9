import { agent, chain } from './aiNodes';
import { ChatModelFlow } from './chatModelFlow';
import { thisHost } from '../n8n/hosts';
import { usePostSetup } from './postSetup';
import type { Credential } from '../n8n/rest';
import { withEditor, type Setup } from '../n8n/setup';
import { CREDENTIAL_TYPE, NODE_TYPE, TRIGGER_TYPE } from '../n8n/workflows';

/** Tests differences in n8n before 2.16. The other suites also run with it. */

let setup: Setup;
let credential: Credential;
usePostSetup((set) => ({ setup, credential } = set), { env: withEditor });

it('the package loads with all its nodes in an n8n without community chat models', async () => {
	const ours = async (path: string) =>
		(await setup.rest.call<Array<{ name: string }>>('GET', path))
			.map(({ name }) => name)
			.filter((name) => /socialOpenPlatform/i.test(name))
			.sort();
	const settings = await setup.rest.call<{ versionCli: string }>('GET', '/rest/settings');
	expect(settings.versionCli).toBe(thisHost.version);
	expect(await ours('/types/credentials.json')).toStrictEqual([CREDENTIAL_TYPE]);
	expect(await ours('/types/nodes.json')).toStrictEqual([
		NODE_TYPE,
		`${NODE_TYPE}ChatModel`,
		`${NODE_TYPE}Tool`,
		TRIGGER_TYPE,
	]);
	expect(setup.n8n.log()).not.toMatch(/social-?open-?platform|error loading|failed to load/i);
});

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
