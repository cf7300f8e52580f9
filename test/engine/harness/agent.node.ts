import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';

interface Tool {
	invoke(input: IDataObject): Promise<string>;
}

/**
 * An AI agent whose model follows a script: `turns` lists the calls of its only tool. The calls of one turn
 * are made at the same time, as n8n's agents do. Each result or error of the tool becomes an item.
 */
export const agent: INodeType = {
	description: {
		displayName: 'Agent',
		name: 'agent',
		group: ['transform'],
		version: 1,
		description: 'Calls its tool',
		defaults: { name: 'Agent' },
		inputs: ['main', 'ai_tool'],
		outputs: ['main'],
		properties: [{ displayName: 'Turns', name: 'turns', type: 'json', default: [] }],
	},
	async execute() {
		const turns = this.getNodeParameter('turns', 0) as IDataObject[][];
		const [tool] = (await this.getInputConnectionData('ai_tool', 0)) as Tool[];
		const told: INodeExecutionData[] = [];
		for (const calls of turns) {
			const answers = await Promise.allSettled(calls.map(async (call) => await tool!.invoke(call)));
			for (const answer of answers) told.push({ json: readingOf(answer) });
		}
		return [told];
	},
};

function readingOf(answer: PromiseSettledResult<string>): IDataObject {
	if (answer.status === 'rejected') return { error: (answer.reason as Error).message };
	return (JSON.parse(answer.value) as IDataObject[])[0]!;
}
