import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { paragraphOf, type Failed, type NodeError } from '../transport/outcome';

/**
 * The item that goes to the error output, or on with the others if the user chose that: the message as
 * `error`, and `details` for workflows that branch on them.
 *
 * n8n sends an item to the error output if it has an `error` beside its `json`; newer versions also if
 * its `json` has just these two keys. It would replace the `json` by the message, but first copies the
 * item with its enumerable properties only.
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

/** A model sees only the message of an error, so all of it becomes the message. */
export function forModel(error: NodeError): NodeError {
	error.message = paragraphOf({
		message: error.message,
		description: error.description ?? undefined,
	});
	error.description = undefined;
	return error;
}
