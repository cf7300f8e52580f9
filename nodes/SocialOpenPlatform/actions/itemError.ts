import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { paragraphOf } from '../transport/errors';

export type NodeError = NodeApiError | NodeOperationError;

/** Whatever was thrown, as an error that n8n shows with the item it belongs to. */
export function toNodeError(
	this: IExecuteFunctions,
	thrown: unknown,
	itemIndex: number,
): NodeError {
	if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) {
		thrown.context.itemIndex ??= itemIndex;
		return thrown;
	}
	const error = thrown instanceof Error ? thrown : new Error(String(thrown));
	return new NodeOperationError(this.getNode(), error, { itemIndex });
}

/** Marks an error that is known from an earlier try: it is no reason to stop the other items. */
export function fromEarlierTry(error: NodeError): NodeError {
	error.context.isFromEarlierTry = true;
	return error;
}

/**
 * The item that goes to the error output, or on with the others when the user chose that: the message
 * as `error`, and as `details` what a workflow can branch on.
 *
 * n8n sends to the error output what has an `error` beside `json`; later ones also a `json` of these
 * two keys and no other. It would then replace the whole json by the message alone, but copies the item
 * first, and with it what can be enumerated.
 */
export function errorItem(
	this: IExecuteFunctions,
	error: NodeError,
	itemIndex: number,
): INodeExecutionData {
	const { message, description, context } = error;
	const facts = (context.data ?? { outcome: 'invalid' }) as object;
	const advice = description ? { description } : {};
	const item: INodeExecutionData = {
		json: { error: message, details: { ...facts, ...advice, item_index: itemIndex } },
		pairedItem: { item: itemIndex },
	};
	const toErrorOutput = this.getNode().onError === 'continueErrorOutput';
	if (!toErrorOutput) return item;
	return Object.defineProperty(item, 'error', { value: error, writable: true, configurable: true });
}

/** The same error for a model, which is told the message alone: all of it in one plain paragraph. */
export function forModel(error: NodeError): NodeError {
	error.message = paragraphOf(error);
	error.description = undefined;
	return error;
}
