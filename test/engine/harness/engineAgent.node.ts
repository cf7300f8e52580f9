import type {
	EngineRequest,
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';

interface Progress {
	/** The number of turns so far. */
	turn: number;
	told: IDataObject[];
}

/**
 * The same agent as n8n's from version 3 on: it lets the engine run the tool as a node of the workflow,
 * one call after the other, and is run again with the results.
 */
export const engineAgent: INodeType = {
	description: {
		displayName: 'Engine Agent',
		name: 'engineAgent',
		group: ['transform'],
		version: 1,
		description: 'Has its tool called',
		defaults: { name: 'Engine Agent' },
		inputs: ['main', 'ai_tool'],
		outputs: ['main'],
		properties: [{ displayName: 'Turns', name: 'turns', type: 'json', default: [] }],
	},
	async execute(
		this: IExecuteFunctions,
		response?: EngineResponse<Progress>,
	): Promise<INodeExecutionData[][] | EngineRequest<Progress>> {
		const turns = this.getNodeParameter('turns', 0) as IDataObject[][];
		const { turn = 0, told = [] } = response?.metadata ?? {};
		const progress: Progress = { turn: turn + 1, told: [...told, ...observed(response)] };
		const calls = turns[turn];
		if (!calls) return [progress.told.map((json) => ({ json }))];
		return {
			actions: calls.map((input, index) => ({
				...{ actionType: 'ExecutionNodeAction', type: 'ai_tool', nodeName: 'Post' },
				...{ id: `${turn}.${index}`, input, metadata: progress },
			})),
			metadata: progress,
		};
	},
};

/** The result of each call that n8n's agents give the model: the tool's items or its error. */
function observed(response?: EngineResponse<Progress>): IDataObject[] {
	return (response?.actionResponses ?? []).map(
		({ data: { data, error } }) => data?.ai_tool?.[0]?.[0]?.json ?? { error: error?.message },
	);
}
