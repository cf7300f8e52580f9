import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import {
	lines,
	paragraphOf,
	toNodeError,
	withDescription,
	type NodeError,
} from '../platform/outcome';
import { isTool } from './agentTool';
import type { ItemFailure } from './operation';

const ASK_PERSON = 'Do not call again before a person has checked.';

/**
 * The error of a failed item. For an AI agent, the message contains the whole text, because a model
 * sees nothing else, but no advice for the person who builds the workflow.
 */
export function errorOf(context: IExecuteFunctions, failed: ItemFailure): NodeError {
	const { kind, failure, itemIndex } = failed;
	const error = toNodeError(context.getNode(), itemIndex, failed);
	if (!isTool(context)) return error;
	const isUnknown =
		kind === 'unknown' && context.getNodeParameter('resource', itemIndex) === 'post';
	let { description = '' } = failure;
	if (isUnknown || kind === 'incomplete') [description = ''] = description.split('\n');
	if (kind === 'not_sent') description = '';
	error.message = paragraphOf({
		...failure,
		description: lines(description, isUnknown && ASK_PERSON),
	});
	return withDescription(error, undefined);
}

/**
 * Creates the output item of a failed item: the message as `error`, and `details` for workflows
 * that branch on them.
 *
 * n8n sends an item to the error output if it has an `error` beside its `json`, or, in newer
 * versions, if its `json` contains only these two fields. In the first case n8n would replace the
 * `json` with the message. It first copies the enumerable properties of the item, so the `error` is
 * not enumerable.
 */
export function errorItem(context: IExecuteFunctions, failed: ItemFailure): INodeExecutionData {
	const error = errorOf(context, failed);
	const { message, description } = error;
	const { kind, failure, itemIndex } = failed;
	const details = { outcome: kind, ...failure.facts, description, item_index: itemIndex };
	const item: INodeExecutionData = {
		json: { error: message, details },
		pairedItem: { item: itemIndex },
	};
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	if (!hasErrorOutput) return item;
	return Object.defineProperty(item, 'error', { value: error, writable: true, configurable: true });
}
