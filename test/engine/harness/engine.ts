import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteContextData,
	INode,
	INodeExecutionData,
	IRun,
} from 'n8n-workflow';
import { node, NODE_TYPE, start, type Execution, type RunningExecution } from './execution';

export interface NodeRun extends Omit<Execution, 'nodes' | 'connections' | 'pinData'> {
	parameters: IDataObject;
	/** The input items, by default one empty item. */
	items?: IDataObject[];
	/** The files of the input items. */
	files?: IBinaryKeyData[];
	/** The input items of additional runs of the node in the same execution. */
	moreRuns?: IDataObject[][];
	credentialId?: string;
	onError?: INode['onError'];
	/** Other settings of the node, such as Retry on Fail, its ID or its type. */
	settings?: Partial<INode>;
}

type Outputs = INodeExecutionData[][];

export interface NodeResult {
	run: IRun;
	/** The output items of the first run by output: [success] or [success, error]. */
	outputs: Outputs;
	/** The output items of every run of the node by output. */
	runs: Outputs[];
	/** The first error of the node, or the error of the execution. */
	error?: { message: string; description?: string; context: IDataObject };
	/** The hints that n8n shows in the output pane. */
	hints: string[];
	/** The context data that n8n stores with the execution for retries. */
	contextData: IExecuteContextData;
}

export interface RunningNode extends Omit<RunningExecution, 'done'> {
	done: Promise<NodeResult>;
}

/** Starts a workflow whose only other nodes provide the input items of the node. */
export function startNode(options: NodeRun): RunningNode {
	const { items = [{}], moreRuns = [] } = options;
	const inputs = [items, ...moreRuns].map((input, index) => ({ name: `Items ${index}`, input }));
	const to = (name: string) => ({ node: name, type: 'main' as const, index: 0 });
	const execution = start({
		...options,
		nodes: [
			node('Start', 'test.passThrough'),
			...inputs.map(({ name }, index) => ({
				...node(name, 'test.passThrough'),
				// n8n executes branches from top to bottom.
				position: [200, 200 * index] as [number, number],
			})),
			postNode(options),
		],
		connections: {
			Start: { main: [inputs.map(({ name }) => to(name))] },
			...Object.fromEntries(inputs.map(({ name }) => [name, { main: [[to('Post')]] }])),
		},
		pinData: Object.fromEntries<INodeExecutionData[]>(
			inputs.map(({ name, input }) => [
				name,
				input.map((json, index) => ({
					json,
					...(options.files && { binary: options.files[index] }),
				})),
			]),
		),
	});
	return { ...execution, done: execution.done.then(resultOf) };
}

function postNode({ parameters, credentialId = '1', onError, settings }: NodeRun): INode {
	return {
		...node('Post', NODE_TYPE, parameters),
		credentials: { socialOpenPlatformApi: { id: credentialId, name: 'Platform' } },
		onError,
		...settings,
	};
}

function resultOf(run: IRun): NodeResult {
	const tasks = run.data.resultData.runData.Post ?? [];
	const runs = tasks.map(({ data }) => (data?.main ?? []).map((output) => output ?? []));
	const error = tasks.map((task) => task.error).find(Boolean) ?? run.data.resultData.error;
	return {
		run,
		outputs: runs[0] ?? [],
		runs,
		error: error as unknown as NodeResult['error'],
		hints: tasks.flatMap(({ hints = [] }) => hints.map(({ message }) => message)),
		contextData: run.data.executionData!.contextData,
	};
}
