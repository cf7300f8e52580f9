import type {
	EngineRequest,
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';
import { describeNode } from './passThrough.node';

interface Progress {
	/** The number of completed turns. */
	turn: number;
	results: IDataObject[];
}

/**
 * An agent with scripted tool calls that works like n8n's agents from version 3: the engine runs the
 * tool as a node, one call after the other, and then runs the agent again with the results. Each item makes the calls of a turn.
 */
export const engineAgent: INodeType = {
	description: describeNode('Engine Agent', {
		inputs: ['main', 'ai_tool'],
		properties: [{ displayName: 'Turns', name: 'turns', type: 'json', default: [] }],
	}),
	async execute(
		this: IExecuteFunctions,
		response?: EngineResponse<Progress>,
	): Promise<INodeExecutionData[][] | EngineRequest<Progress>> {
		const turns = this.getNodeParameter('turns', 0) as IDataObject[][];
		const { turn = 0, results = [] } = response?.metadata ?? {};
		const progress: Progress = { turn: turn + 1, results: [...results, ...resultsOf(response)] };
		const calls = turns[turn];
		if (!calls) return [progress.results.map((json) => ({ json }))];
		const items = [...this.getInputData().keys()];
		return {
			actions: items.flatMap((itemIndex) =>
				calls.map((input, index) => ({
					...{ actionType: 'ExecutionNodeAction', type: 'ai_tool', nodeName: 'Post' },
					...{ id: `${itemIndex}.${turn}.${index}`, input, metadata: { ...progress, itemIndex } },
				})),
			),
			metadata: progress,
		};
	},
};

/** Returns the result of each call as n8n's agents pass it to the model: the tool's item or its error. */
function resultsOf(response?: EngineResponse<Progress>): IDataObject[] {
	return (response?.actionResponses ?? []).map(
		({ data: { data, error } }) => data?.ai_tool?.[0]?.[0]?.json ?? { error: error?.message },
	);
}
