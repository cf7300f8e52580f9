import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { lines, toHtml, unexpected, withLines, type Failed } from '../platform/outcome';
import { isTool, itemRefusal, stopsAtFailure } from './agentTool';
import { errorItem, errorOf } from './itemError';
import { createLimiter, type ItemFailure, type Run } from './operation';
import * as chat from '../chat/chatResource';
import * as post from '../post/postResource';

const resources: Record<string, Pick<typeof post, 'description' | 'operations'>> = { chat, post };

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
	const { operation, description } = chosenOperation(this);
	const itemCount = this.getInputData().length;
	const stops = stopsAtFailure(this);
	const limiter = createLimiter(this);
	const run: Run | Failed =
		itemRefusal(this, description) ?? (await operation.begin(this, limiter).catch(unexpected));
	const output: INodeExecutionData[] = [];
	const failures: ItemFailure[] = [];
	await limiter.forEachItem(itemCount, async (itemIndex) => {
		const outcome =
			'failure' in run ? run : await operation.execute(this, itemIndex, run).catch(unexpected);
		if (outcome.kind === 'stopped') return false;
		if (outcome.kind === 'accepted') {
			const { value, binary } = outcome;
			output[itemIndex] = {
				json: value as IDataObject,
				...(binary && Object.keys(binary).length > 0 && { binary }),
				pairedItem: { item: itemIndex },
			};
			return false;
		}
		const failed = { ...outcome, itemIndex };
		failures.push(failed);
		output[itemIndex] = errorItem(this, failed);
		return stops && !failed.failure.isFromEarlierAttempt;
	});
	// If a node throws after its execution was cancelled, n8n shows it as failed.
	if (this.getExecutionCancelSignal()?.aborted) return [output.filter(Boolean)];
	const summary = 'failure' in run ? undefined : run.summary?.(failures);
	const { text = '', warnings } = summary ?? {};
	const [first] = failures.sort((a, b) => a.itemIndex - b.itemIndex);
	if (first && stops) {
		const canRetry = !['manual', 'integrated'].includes(this.getMode());
		const isInvalid = canRetry && first.failure.facts?.problems !== undefined;
		const shown = itemCount > 1 ? text : '';
		const advice = isTool(this)
			? shown
			: lines(isInvalid && HOW_TO_CORRECT, shown, operation.howToRetry?.(this, shown !== ''));
		throw withLines(errorOf(this, first), advice);
	}
	if (text) {
		const message = toHtml(lines(text, warnings));
		const type = warnings ? { type: 'warning' as const } : {};
		this.addExecutionHints({ message, location: 'outputPane', ...type });
	}
	return [output];
}

function chosenOperation(context: IExecuteFunctions) {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const { operations, description = [] } = resources[resource] ?? {};
	const operation = operations?.[name];
	if (operation) return { operation, description };
	const message = `There is no operation '${name}' on '${resource}'. Choose one in the node's panel.`;
	throw new NodeOperationError(context.getNode(), message);
}
