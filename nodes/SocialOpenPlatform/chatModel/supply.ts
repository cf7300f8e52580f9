import type { ISupplyDataFunctions, NodeApiError, SupplyData } from 'n8n-workflow';
import { Gate } from '../transport/gate';
import { paragraphOf } from '../transport/errors';
import { openSession } from '../transport/session';
import { Asker } from './asker';
import { PlatformChatModel } from './platformChatModel';
import { readModelParameters } from './modelParameters';
import { loadSdk } from './sdk';
import { takingOlderBlocks } from './standardBlocks';

/**
 * The platform as a chat model of n8n's AI nodes, through n8n's own SDK
 * (https://www.npmjs.com/package/@n8n/ai-node-sdk).
 *
 * @throws NodeOperationError where n8n lacks the SDK, or a parameter cannot be used
 * @throws NodeApiError when the credential cannot be used
 */
export async function supply(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
	const sdk = await loadSdk.call(this);
	const { model, body, options } = readModelParameters.call(this, itemIndex);
	const session = await openSession.call(this, 'the chat request').catch((error: NodeApiError) => {
		// In a chat that streams, n8n shows the description alone.
		const said = { description: paragraphOf(error), functionality: 'configuration-node' };
		throw Object.assign(error, said);
	});
	const signal = this.getExecutionCancelSignal();
	const gate = new Gate({ width: Infinity, intervalMs: 0, closesAtFailure: false, signal });
	const asker = new Asker(this, itemIndex, { session, gate }, options);
	const supplied = sdk.supplyModel(this, new PlatformChatModel(model, { asker, sdk, body }));
	return { ...supplied, response: takingOlderBlocks(supplied.response) };
}
