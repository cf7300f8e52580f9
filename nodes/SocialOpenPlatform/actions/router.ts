import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';
import { errorItem, toNodeError } from './itemError';
import * as post from './post';

/** What an operation file exports. */
interface Operation {
	/** One item in, one item's JSON out. */
	execute: (this: IExecuteFunctions, itemIndex: number) => Promise<object>;
	/** What the output pane says after a run, if anything. */
	summarize?: (output: INodeExecutionData[]) => NodeExecutionHint;
}

const operations: Record<string, Record<string, Operation>> = {
	post: post.operations,
};

/** The one loop over the items. A bad item stops the others only where the user wants it so. */
export async function router(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const resource = this.getNodeParameter('resource', 0);
	const operation = this.getNodeParameter('operation', 0);
	const chosen = operations[resource]?.[operation];
	const output: INodeExecutionData[] = [];
	for (const itemIndex of this.getInputData().keys()) {
		try {
			if (!chosen) throw new Error(`There is no operation '${operation}' on '${resource}'`);
			const json = (await chosen.execute.call(this, itemIndex)) as IDataObject;
			output.push({ json, pairedItem: { item: itemIndex } });
		} catch (thrown) {
			const error = toNodeError.call(this, thrown, itemIndex);
			if (!this.continueOnFail()) throw error;
			output.push(errorItem(error, itemIndex));
		}
	}
	if (chosen?.summarize && output.length > 0) this.addExecutionHints(chosen.summarize(output));
	return [output];
}
