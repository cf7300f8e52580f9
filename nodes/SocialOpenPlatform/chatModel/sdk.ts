import { NodeOperationError, type ISupplyDataFunctions } from 'n8n-workflow';

/** What n8n brings along for AI nodes, since version 2.16. */
export type Sdk = typeof import('@n8n/ai-node-sdk');

/**
 * Loads it only now: an import at the top would take the whole package down on an n8n that lacks it.
 *
 * @throws NodeOperationError on such an n8n
 */
export async function loadSdk(this: ISupplyDataFunctions): Promise<Sdk> {
	const sdk = await import('@n8n/ai-node-sdk').catch(() => undefined);
	if (sdk) return sdk;
	throw new NodeOperationError(
		this.getNode(),
		'The Social Open Platform Chat Model needs n8n 2.16 or newer',
		{
			description:
				"This n8n does not bring the package '@n8n/ai-node-sdk' along. Update n8n to use this node; the other nodes of this package work here all the same, and the action node's operation Create Completion asks the same models.",
			functionality: 'configuration-node',
		},
	);
}
