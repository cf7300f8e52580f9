import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { paragraphOf, withDescription, type Failed, type NodeError } from '../transport/outcome';

/**
 * Creates the output item of a failed item: the message as `error`, and `details` for workflows
 * that branch on them.
 *
 * n8n sends an item to the error output if it has an `error` beside its `json`, or, in newer
 * versions, if its `json` contains only these two fields. In the first case n8n would replace the
 * `json` with the message. It first copies the enumerable properties of the item, so the `error` is
 * not enumerable.
 */
export function errorItem(
	context: IExecuteFunctions,
	{ kind, failure }: Failed,
	error: NodeError,
	itemIndex: number,
): INodeExecutionData {
	const { message, description } = error;
	const facts = (error.context.data ?? { outcome: kind, ...failure.facts }) as object;
	const advice = description ? { description } : {};
	const item: INodeExecutionData = {
		json: { error: message, details: { ...facts, ...advice, item_index: itemIndex } },
		pairedItem: { item: itemIndex },
	};
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	if (!hasErrorOutput) return item;
	return Object.defineProperty(item, 'error', { value: error, writable: true, configurable: true });
}

/** Moves the whole text of an error into its message, because a model sees nothing else of it. */
export function forModel(error: NodeError): NodeError {
	error.message = paragraphOf({
		message: error.message,
		description: error.description ?? undefined,
	});
	return withDescription(error, undefined);
}
