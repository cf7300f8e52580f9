import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { errorItem, toNodeError } from './itemError';
import * as post from './post';

/** What an operation file exports as `execute`: one item in, one item's JSON out. */
type Execute = (this: IExecuteFunctions, itemIndex: number) => Promise<object>;

const operations: Record<string, Record<string, { execute: Execute }>> = {
	post: post.operations,
};

/** The one loop over the items. A bad item stops the others only where the user wants it so. */
export async function router(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const resource = this.getNodeParameter('resource', 0);
	const operation = this.getNodeParameter('operation', 0);
	const execute = operations[resource]?.[operation]?.execute;
	const output: INodeExecutionData[] = [];
	for (const itemIndex of this.getInputData().keys()) {
		try {
			if (!execute) throw new Error(`There is no operation '${operation}' on '${resource}'`);
			const json = (await execute.call(this, itemIndex)) as IDataObject;
			output.push({ json, pairedItem: { item: itemIndex } });
		} catch (thrown) {
			const error = toNodeError.call(this, thrown, itemIndex);
			if (!this.continueOnFail()) throw error;
			output.push(errorItem(error, itemIndex));
		}
	}
	return [output];
}
