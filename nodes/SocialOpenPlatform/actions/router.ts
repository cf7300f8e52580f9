import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { Stopped } from '../transport/errors';
import { eachItem } from './eachItem';
import { errorItem, forModel, toNodeError, type NodeError } from './itemError';
import { isTool, mustNotThrow } from './isTool';
import type { Operation, Run } from './operation';
import * as chat from './chat';
import * as post from './post';

const operations: Record<string, Record<string, Operation>> = {
	chat: chat.operations,
	post: post.operations,
};

/**
 * The one loop over the items: several at a time, put out in the order in which they came in. A bad
 * item stops the others only where the user wants it so; those under way are awaited even then, so
 * that what became of them is known.
 */
export async function router(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const resource = this.getNodeParameter('resource', 0);
	const operation = this.getNodeParameter('operation', 0);
	const chosen = operations[resource]?.[operation];
	if (!chosen) {
		throw new NodeOperationError(
			this.getNode(),
			`There is no operation '${operation}' on '${resource}'`,
			{ description: "Choose one in the node's panel." },
		);
	}
	const { length } = this.getInputData();
	const goesOn = this.continueOnFail() || mustNotThrow.call(this);
	const asError = (thrown: unknown, itemIndex: number) => {
		const error = toNodeError.call(this, thrown, itemIndex);
		return isTool.call(this) ? forModel(error) : error;
	};
	let run: Run;
	try {
		run = await chosen.begin.call(this);
	} catch (thrown) {
		const error = asError(thrown, 0);
		if (!goesOn) throw error;
		return [Array.from({ length }, (_, itemIndex) => errorItem.call(this, error, itemIndex))];
	}
	const output: INodeExecutionData[] = [];
	const errors: NodeError[] = [];
	await eachItem(length, run.width, async (itemIndex) => {
		try {
			const json = (await chosen.execute.call(this, itemIndex, run)) as IDataObject;
			output[itemIndex] = { json, pairedItem: { item: itemIndex } };
		} catch (thrown) {
			if (thrown instanceof Stopped) return false;
			const error = asError(thrown, itemIndex);
			errors.push(error);
			output[itemIndex] = errorItem.call(this, error, itemIndex);
			// Items are read ahead: one that cannot be sent may be found while others wait before it.
			const isNew = !error.context.isFromEarlierTry;
			if (isNew && !goesOn) run.stopBehind?.(itemIndex);
			return goesOn || !isNew;
		}
		return true;
	});
	const isCancelled = this.getExecutionCancelSignal()?.aborted;
	// n8n takes a node that throws for one that failed by itself.
	if (isCancelled) return [output.filter(Boolean)];
	const summary = run.summary?.(errors) ?? '';
	if (errors.length > 0 && !goesOn) throw firstOf(errors, length > 1 ? summary : '');
	if (summary) this.addExecutionHints({ message: summary, location: 'outputPane' });
	return [output];
}

/** The error of the item that comes first, with what became of the others. */
function firstOf(errors: NodeError[], summary: string): NodeError {
	const itemOf = ({ context }: NodeError) => context.itemIndex as number;
	const first = errors.reduce((a, b) => (itemOf(a) <= itemOf(b) ? a : b));
	first.description = [first.description, summary].filter(Boolean).join(' ');
	return first;
}
