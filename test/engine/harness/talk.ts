import type { IDataObject, INode } from 'n8n-workflow';
import { node, NODE_TYPE, start } from './execution';
import type { Platform } from './platform';

/** The two ways in which n8n's agents call a tool. */
export const agents = [
	{ version: 'before 3', type: 'test.agent' },
	{ version: 'from 3 on', type: 'test.engineAgent' },
];

export interface Talk {
	platform: Platform;
	/** Type of the agent's node. */
	agent?: string;
	/** The arguments of the model for each call, turn by turn. */
	turns: IDataObject[][];
	/** The parameters of the tool. Its expressions may contain $fromAI. */
	parameters: IDataObject;
	/** Other settings of that node. */
	settings?: Partial<INode>;
}

/** Runs an agent that makes these calls of the tool. Returns what its model receives for each. */
export async function talk(options: Talk): Promise<IDataObject[]> {
	const { platform, agent = 'test.agent', turns, parameters, settings } = options;
	const tool: INode = {
		...node('Post', `${NODE_TYPE}Tool`, parameters),
		credentials: { socialOpenPlatformApi: { id: '1', name: 'Platform' } },
		...settings,
	};
	const { done } = start({
		nodes: [node('Start', 'test.passThrough'), node('Agent', agent, { turns }), tool],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Post: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		store: platform.store,
	});
	const { data } = await done;
	expect(data.resultData.error).toBeUndefined();
	return data.resultData.runData.Agent!.at(-1)!.data!.main![0]!.map(({ json }) => json);
}

/** An expression for a value that the model provides. */
export const fromAI = (key: string) => `={{ $fromAI('${key}', 'The ${key}', 'string') }}`;
