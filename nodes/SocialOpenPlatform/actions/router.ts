import {
	NodeOperationError,
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import {
	lines,
	toHtml,
	toNodeError,
	unexpected,
	withLines,
	type Failed,
} from '../transport/outcome';
import { isTool, stopsAtFailure } from './agentTool';
import { errorItem, forModel } from './itemError';
import type { ItemFailure, Operation, Run } from './run';
import * as chat from './chat';
import * as post from './post';

const operations: Record<string, Record<string, Operation>> = {
	chat: chat.operations,
	post: post.operations,
};

/**
 * n8n's two ways to retry an execution both start with the old input of the failed node. It does not
 * retry executions that succeeded.
 */
const HOW_TO_CORRECT = lines(
	"To correct the node, change it, save the workflow, and choose 'Retry with currently saved workflow'.",
	'To correct the data, change it where it comes from and start a new execution. A retry uses the old data.',
);

/**
 * Executes the chosen operation for each item, several items at a time. The output keeps the order
 * of the input. If a failure ends the run, the requests under way are still completed, so that
 * their outcome is known.
 *
 * @throws NodeError of the first item that failed, unless failed items are part of the output
 */
export async function router(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const operation = chosenOperation(this);
	const itemCount = this.getInputData().length;
	const stops = stopsAtFailure(this);
	const errorOf = (failed: Failed, itemIndex: number) => {
		const error = toNodeError(this.getNode(), itemIndex, failed);
		if (isTool(this)) return forModel(error);
		return withLines(error, stops && failed.failure.facts?.problems ? HOW_TO_CORRECT : '');
	};
	const run: Run | Failed = await operation.begin(this).catch(unexpected);
	if ('failure' in run) {
		const error = errorOf(run, 0);
		if (stops) throw error;
		return [
			Array.from({ length: itemCount }, (_, itemIndex) => errorItem(this, run, error, itemIndex)),
		];
	}
	const output: INodeExecutionData[] = [];
	const failures: ItemFailure[] = [];
	const processItem = async (itemIndex: number) => {
		const outcome = await operation.execute(this, itemIndex, run).catch(unexpected);
		if (outcome.kind === 'stopped') return false;
		if (outcome.kind === 'accepted') {
			const { value, binary } = outcome;
			const files = binary && Object.keys(binary).length > 0 ? { binary } : {};
			output[itemIndex] = {
				json: value as IDataObject,
				...files,
				pairedItem: { item: itemIndex },
			};
			return true;
		}
		failures.push({ ...outcome, itemIndex });
		output[itemIndex] = errorItem(this, outcome, errorOf(outcome, itemIndex), itemIndex);
		if (!stops || outcome.failure.isFromEarlierAttempt) return true;
		// Items are read ahead, so this invalid item may come after valid items that are still waiting.
		run.limiter?.stopAfter(itemIndex);
		return false;
	};
	await forEachItem(itemCount, run.concurrency, async (itemIndex) => {
		const continues = await processItem(itemIndex);
		run.limiter?.pass(itemIndex);
		return continues;
	});
	// If a node throws after its execution was cancelled, n8n shows it as failed.
	if (this.getExecutionCancelSignal()?.aborted) return [output.filter(Boolean)];
	const { text = '', warnings } = run.summary?.(failures) ?? {};
	const [first] = failures.sort((a, b) => a.itemIndex - b.itemIndex);
	if (first && stops) {
		throw withLines(errorOf(first, first.itemIndex), itemCount > 1 ? text : '');
	}
	if (text) {
		const message = toHtml(lines(text, warnings));
		const type = warnings ? { type: 'warning' as const } : {};
		this.addExecutionHints({ message, location: 'outputPane', ...type });
	}
	return [output];
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const operation = context.getNodeParameter('operation', 0);
	const chosen = operations[resource]?.[operation];
	if (chosen) return chosen;
	const message = `There is no operation '${operation}' on '${resource}'`;
	throw new NodeOperationError(context.getNode(), message, {
		description: "Choose one in the node's panel.",
	});
}

/**
 * Processes items in order, with a limited number at the same time.
 *
 * @param processItem resolves to whether to start further items; it must not reject
 */
async function forEachItem(
	count: number,
	concurrency: number,
	processItem: (itemIndex: number) => Promise<boolean>,
): Promise<void> {
	let next = 0;
	let continues = true;
	const worker = async () => {
		while (continues && next < count) {
			if (!(await processItem(next++))) continues = false;
			// Yields so that pending responses are handled before the next item is read.
			if (concurrency > 1) await sleep(0);
		}
	};
	const workers = [worker()];
	while (continues && workers.length < Math.min(concurrency, count)) {
		// An invalid item stops the items after it, so it is found before the next item is read.
		await sleep(0);
		workers.push(worker());
	}
	await Promise.all(workers);
}
