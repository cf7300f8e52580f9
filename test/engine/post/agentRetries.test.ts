import type { IDataObject, IExecuteContextData, INode, WorkflowExecuteMode } from 'n8n-workflow';
import { agents, fromAI, runAgent } from '../harness/agentRun';
import { node, NODE_TYPE, start } from '../harness/execution';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();
const posts = () => platform.emulator.posts;
const base = { socialAccountId: 'acc_1', mediaUrls: ['https://cdn.example/a.jpg'] };

interface More {
	mode?: WorkflowExecuteMode;
	executionId?: string;
	contextData?: IExecuteContextData;
	workflowId?: string;
}

/** An agent run with the settings of an execution, such as its mode. */
async function execute(agent: string, turns: IDataObject[][], parameters: IDataObject, more: More) {
	const tool: INode = {
		...node('Post', `${NODE_TYPE}Tool`, parameters),
		credentials: { socialOpenPlatformApi: { id: '1', name: 'Platform' } },
	};
	const execution = start({
		nodes: [node('Start', 'test.passThrough'), node('Agent', agent, { turns }), tool],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Post: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		store: platform.store,
		...more,
	});
	await execution.done;
	return structuredClone(execution.contextData);
}

describe.each(agents)('A tool of $name', ({ type: agent }) => {
	test('with Resend If Outcome Unknown: a call that the model repeats does not publish the post again', async () => {
		platform.emulator.fault({ kind: 'server-error-after', operation: 'createPost', times: 3 });
		await runAgent({
			...{ platform, agent },
			turns: [[{ text: 'hello' }], [{ text: 'hello' }], [{ text: 'hello' }]],
			parameters: { ...base, text: fromAI('text'), options: { resendUnknown: true } },
		});
		expect(posts()).toHaveLength(1);
	});

	test.each([
		['the same arguments', { account: 'acc_1' }],
		['the name of the account instead of its ID', { account: 'Harbour' }],
		['an argument that no field uses', { account: 'acc_1', reason: 'second try' }],
	])('two retries of one execution publish a post once: %s', async (_, again) => {
		platform.credential.accounts = { account: [{ name: 'Harbour', id: 'acc_1' }] };
		const parameters = { ...base, socialAccountId: fromAI('account'), text: fromAI('text') };
		const workflowId = `w${Math.random()}`;
		const call = async (args: IDataObject, more: More) =>
			await execute(agent, [[{ text: 'hello', ...args }]], parameters, { workflowId, ...more });
		platform.emulator.fault({ kind: 'refused', operation: 'createPost', times: 1 });
		const contextData = await call({ account: 'acc_1' }, { executionId: 'x', mode: 'trigger' });
		expect(posts()).toHaveLength(0);
		await call({ account: 'acc_1' }, { executionId: 'r1', mode: 'retry', contextData });
		expect(posts()).toHaveLength(1);
		await call(again, { executionId: 'r2', mode: 'retry', contextData });
		expect(posts()).toHaveLength(1);
	});
});
