import type { ISupplyDataFunctions } from 'n8n-workflow';
import { Limiter } from '../transport/limiter';
import { paragraphOf, toNodeError, withDescription } from '../transport/outcome';
import { openSession } from '../transport/session';
import { ChatClient, CHAT_REQUEST } from './client';
import { PlatformChatModel } from './model';
import { readModelParameters } from './options';
import { acceptOlderBlocks, loadSdk, type Sdk } from './sdk';

/**
 * Supplies a chat model of the platform to n8n's AI nodes. It uses n8n's own SDK
 * (https://www.npmjs.com/package/@n8n/ai-node-sdk).
 *
 * @throws NodeOperationError if n8n lacks the SDK, or a parameter cannot be used
 * @throws NodeApiError if the credential cannot be used
 */
export async function supply(
	context: ISupplyDataFunctions,
	itemIndex: number,
): Promise<ReturnType<Sdk['supplyModel']>> {
	const sdk = await loadSdk(context);
	const { model, body, options } = readModelParameters(context, itemIndex);
	const session = await openSession(context, CHAT_REQUEST);
	if ('failure' in session) {
		const error = toNodeError(context.getNode(), 0, session);
		// For a chat that streams, n8n shows only the description of an error.
		const description = paragraphOf(session.failure);
		throw Object.assign(withDescription(error, description), {
			functionality: 'configuration-node',
		});
	}
	const limiter = new Limiter({
		maxConcurrent: Infinity,
		intervalMs: 0,
		signal: context.getExecutionCancelSignal(),
	});
	const client = new ChatClient(context, itemIndex, { session, limiter }, options);
	const supplied = sdk.supplyModel(context, new PlatformChatModel(model, { client, sdk, body }));
	return { ...supplied, response: acceptOlderBlocks(supplied.response) };
}
