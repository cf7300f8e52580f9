import { ExecuteContext } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	Workflow,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import { node, NODE_TYPE, nodeTypes, start, types, type Execution } from './execution';
import type { Platform } from './platform';

/** Agents that call a tool as n8n's agents of these versions do. */
export const agents = [
	{ name: 'an agent before version 3', type: 'test.agent' },
	{ name: 'an agent from version 3', type: 'test.engineAgent' },
];

export interface AgentRun extends Partial<Omit<Execution, 'nodes' | 'connections'>> {
	platform: Platform;
	/** The type of the agent node. */
	agent?: string;
	/** The arguments of the tool calls in each turn. */
	turns: IDataObject[][];
	/** The parameters of the tool, in which expressions may use $fromAI. */
	parameters: IDataObject;
	/** Other settings of the tool node. */
	settings?: Partial<INode>;
	/** The items that start the agent. */
	items?: INodeExecutionData[];
	/** Whether an agent before version 3 processes the items at the same time. */
	batch?: boolean;
}

/** Runs an agent that calls its tool, and returns the result of each call as its model receives it. */
export async function runAgent({
	platform,
	agent = 'test.agent',
	turns,
	parameters,
	settings,
	items,
	batch = false,
	...more
}: AgentRun): Promise<IDataObject[]> {
	const tool: INode = {
		...node('Post', `${NODE_TYPE}Tool`, parameters),
		credentials: { socialOpenPlatformApi: { id: '1', name: 'Platform' } },
		...settings,
	};
	const { done } = start({
		nodes: [node('Start', 'test.passThrough'), node('Agent', agent, { turns, batch }), tool],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Post: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		store: platform.store,
		...more,
		...(items && { pinData: { Start: items } }),
	});
	const { data } = await done;
	expect(data.resultData.error).toBeUndefined();
	return data.resultData.runData.Agent!.at(-1)!.data!.main![0]!.map(({ json }) => json);
}

/** Calls a tool as the agents do that n8n runs outside of workflows: without a workflow and an execution. */
export async function callWithoutExecution(
	{ store }: Platform,
	parameters: IDataObject,
	json: IDataObject,
): Promise<INodeExecutionData[][]> {
	const type = `${NODE_TYPE}Tool`;
	const credentials = { socialOpenPlatformApi: { id: '1', name: 'Platform' } };
	const tool: INode = { ...node('Target Node', type, parameters), credentials };
	const workflow = new Workflow({ nodes: [tool], connections: {}, active: false, nodeTypes });
	const items = [{ json }];
	const data = { main: [items] };
	const context = new ExecuteContext(
		workflow,
		tool,
		{ credentialsHelper: store, variables: {} } as never,
		'internal',
		createEmptyRunExecutionData(),
		0,
		items,
		data,
		{ node: tool, data, source: null },
		[],
	);
	return (await types[type]!.execute!.call(context)) as INodeExecutionData[][];
}

/** Returns an expression for a value that the model provides. */
export const fromAI = (key: string) => `={{ $fromAI('${key}', 'The ${key}', 'string') }}`;
