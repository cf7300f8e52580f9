import { NodeOperationError, type ISupplyDataFunctions, type SupplyData } from 'n8n-workflow';
import { Limiter } from '../transport/limiter';
import { paragraphOf, toNodeError } from '../transport/outcome';
import { openSession } from '../transport/session';
import { ChatClient, WHAT } from './client';
import { PlatformChatModel } from './model';
import { readModelParameters } from './options';
import { takingOlderBlocks } from './standardBlocks';

/** n8n's SDK for AI nodes, which n8n contains since version 2.16. */
export type Sdk = typeof import('@n8n/ai-node-sdk');

/**
 * The platform as a chat model of n8n's AI nodes, through n8n's own SDK
 * (https://www.npmjs.com/package/@n8n/ai-node-sdk).
 *
 * @throws NodeOperationError if n8n lacks the SDK, or a parameter cannot be used
 * @throws NodeApiError if the credential cannot be used
 */
export async function supply(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
	const sdk = await loadSdk(this);
	const { model, body, options } = readModelParameters(this, itemIndex);
	const session = await openSession(this, WHAT);
	if ('failure' in session) {
		const error = toNodeError(this.getNode(), 0, session);
		// In a chat that streams, n8n shows the description alone.
		const description = paragraphOf(session.failure);
		throw Object.assign(error, { description, functionality: 'configuration-node' });
	}
	const limiter = new Limiter({
		maxConcurrent: Infinity,
		intervalMs: 0,
		stopsAtFailure: false,
		signal: this.getExecutionCancelSignal(),
	});
	const client = new ChatClient(this, itemIndex, { session, limiter }, options);
	const supplied = sdk.supplyModel(this, new PlatformChatModel(model, { client, sdk, body }));
	return { ...supplied, response: takingOlderBlocks(supplied.response) };
}

/** Loads the SDK when it is needed: a static import would make the package fail on an older n8n. */
async function loadSdk(context: ISupplyDataFunctions): Promise<Sdk> {
	const sdk = await import('@n8n/ai-node-sdk').catch(() => undefined);
	if (sdk) return sdk;
	throw new NodeOperationError(
		context.getNode(),
		'The Social Open Platform Chat Model needs n8n 2.16 or newer',
		{
			description:
				"This n8n does not bring the package '@n8n/ai-node-sdk' along. Update n8n to use this node; the other nodes of this package work here all the same, and the action node's operation Create Completion asks the same models.",
			functionality: 'configuration-node',
		},
	);
}
