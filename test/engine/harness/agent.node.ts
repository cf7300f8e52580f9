import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';
import { describeNode } from './passThrough.node';

interface Tool {
	invoke(input: IDataObject): Promise<string>;
}

/**
 * An AI agent with scripted tool calls: `turns` lists the arguments of the calls in each turn, for each
 * item. The calls of a turn run concurrently, as in n8n's agents, and so do items with `batch`, as with
 * their batch size, or as several agents. Each result or error of the tool becomes an item.
 */
export const agent: INodeType = {
	description: describeNode('Agent', {
		inputs: ['main', 'ai_tool'],
		properties: [
			{ displayName: 'Turns', name: 'turns', type: 'json', default: [] },
			{ displayName: 'Batch', name: 'batch', type: 'boolean', default: false },
		],
	}),
	async execute() {
		const answer = async (itemIndex: number) => {
			const items: INodeExecutionData[] = [];
			const turns = this.getNodeParameter('turns', itemIndex) as IDataObject[][];
			const [tool] = (await this.getInputConnectionData('ai_tool', itemIndex)) as Tool[];
			for (const calls of turns) {
				const answers = await Promise.allSettled(
					calls.map(async (call) => await tool!.invoke(call)),
				);
				for (const one of answers) items.push({ json: resultOf(one) });
			}
			return items;
		};
		const indexes = [...this.getInputData().keys()];
		if (this.getNodeParameter('batch', 0)) return [(await Promise.all(indexes.map(answer))).flat()];
		const items: INodeExecutionData[] = [];
		for (const itemIndex of indexes) items.push(...(await answer(itemIndex)));
		return [items];
	},
};

function resultOf(answer: PromiseSettledResult<string>): IDataObject {
	if (answer.status === 'rejected') return { error: (answer.reason as Error).message };
	return (JSON.parse(answer.value) as IDataObject[])[0]!;
}
