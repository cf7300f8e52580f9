import type { ISupplyDataFunctions } from 'n8n-workflow';
import {
	paragraphOf,
	toNodeError,
	withDescription,
	type Failed,
	type NodeError,
} from '../transport/outcome';

/** How messages name a request of the chat model. */
export const CHAT_REQUEST = 'the chat request';

/**
 * The error of a model. Where a chat streams, n8n shows only the description of an error, so the
 * description includes the message.
 */
export function modelError(
	context: ISupplyDataFunctions,
	itemIndex: number,
	failed: Failed,
	isStreamed = true,
): NodeError {
	const error = toNodeError(context.getNode(), itemIndex, failed);
	if (isStreamed) withDescription(error, paragraphOf(failed.failure));
	// n8n then shows the error on the model node, not on the agent node.
	return Object.assign(error, { functionality: 'configuration-node' as const });
}
