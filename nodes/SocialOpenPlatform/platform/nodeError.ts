import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { type Failed, lines } from './outcome';

export type NodeError = NodeApiError | NodeOperationError;

/**
 * The error with which n8n shows a failed request. Its data contain the index of its item. The
 * context does not, because n8n would add the index to the message, and it counts from 0.
 */
export function toNodeError(node: INode, itemIndex: number, { kind, failure }: Failed): NodeError {
	const { message, description, facts = {}, cause, error: thrown } = failure;
	if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) {
		thrown.context.itemIndex ??= itemIndex;
		return thrown;
	}
	const data = { outcome: kind, ...facts, item_index: itemIndex };
	const httpCode = facts.http_status?.toString();
	const error =
		kind === 'invalid'
			? new NodeOperationError(node, thrown ?? message, thrown && { itemIndex })
			: new NodeApiError(node, data, { message, httpCode, failure: cause });
	error.context.data = data;
	if (thrown) return error;
	// n8n replaces a message that contains the name of a system error, even inside a word.
	error.message = message;
	return withDescription(error, description);
}

/**
 * Sets the description of an error. n8n's editor shows HTML, which it takes from the template;
 * everything else reads the text.
 */
export function withDescription(
	error: NodeError,
	description: string | undefined,
	template = description && toHtml(description),
) {
	error.description = description;
	error.context.descriptionTemplate = template;
	return error;
}

/** Adds lines to the description of an error. The description of an error of n8n may be HTML. */
export function withLines(error: NodeError, added: string) {
	const { context, description } = error;
	const template = (context.descriptionTemplate ?? description ?? '') as string;
	const all = [template, toHtml(added)].filter(Boolean).join('<br>');
	return withDescription(error, lines(description ?? undefined, added), all);
}

/** Text as HTML, for the places where n8n's editor shows HTML. */
export function toHtml(text: string) {
	return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/\n/g, '<br>');
}
