import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';
import { describeNode } from './passThrough.node';

interface Tool {
	invoke(input: IDataObject): Promise<string>;
}

/**
 * An AI agent with scripted tool calls: `turns` lists the arguments of the calls in each turn, for each
 * item. The calls of a turn run concurrently, as in n8n's agents. Each result or error of the tool becomes
 * an item.
 */
export const agent: INodeType = {
	description: describeNode('Agent', {
		inputs: ['main', 'ai_tool'],
		properties: [{ displayName: 'Turns', name: 'turns', type: 'json', default: [] }],
	}),
	async execute() {
		const items: INodeExecutionData[] = [];
		for (const itemIndex of this.getInputData().keys()) {
			const turns = this.getNodeParameter('turns', itemIndex) as IDataObject[][];
			const [tool] = (await this.getInputConnectionData('ai_tool', itemIndex)) as Tool[];
			for (const calls of turns) {
				const answers = await Promise.allSettled(
					calls.map(async (call) => await tool!.invoke(call)),
				);
				for (const answer of answers) items.push({ json: resultOf(answer) });
			}
		}
		return [items];
	},
};

function resultOf(answer: PromiseSettledResult<string>): IDataObject {
	if (answer.status === 'rejected') return { error: (answer.reason as Error).message };
	return (JSON.parse(answer.value) as IDataObject[])[0]!;
}
