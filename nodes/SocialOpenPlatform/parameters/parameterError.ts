import { NodeOperationError, type INode } from 'n8n-workflow';

/** A field by its label, and what is to be said about it. */
export interface Remark {
	field: string;
	message: string;
}

/**
 * All problems of an item at once, each by the label of its field. Nothing of the item was sent.
 *
 * @param advice how to see what is sent, as a sentence
 */
export function parameterError(
	node: INode,
	itemIndex: number,
	problems: Remark[],
	advice = '',
): NodeOperationError {
	const message = problems.map(({ field, message }) => `'${field}' ${message}`).join('; ');
	const error = new NodeOperationError(node, message, {
		itemIndex,
		description:
			`Nothing was sent for item ${itemIndex}. Correct the fields named above. ${advice}`.trim(),
	});
	error.context.data = { outcome: 'invalid', problems };
	return error;
}
