import { NodeOperationError, type ISupplyDataFunctions, type SupplyData } from 'n8n-workflow';
import { urlOf } from '../protocol/endpoints';
import { openSession } from '../transport/session';
import { CHAT_REQUEST, modelError } from './error';
import { FetchFailed, platformFetch } from './fetch';
import { readModelParameters } from './options';

/** The parts of LangChain's ChatOpenAI that replace its `fetch`. */
interface OpenAiModel {
	/** The options from which `withConfig` and `bindTools` build a model. */
	fields?: { configuration?: { fetch?: typeof fetch } };
	withConfig(config: object): unknown;
}

/** The model's client requires a key. `platformFetch` sends the App Secret instead. */
const PLACEHOLDER = 'not-used';

/**
 * Supplies a chat model of the platform to n8n's AI nodes. The model comes from n8n's SDK
 * (https://www.npmjs.com/package/@n8n/ai-node-sdk).
 *
 * @throws NodeOperationError if n8n lacks the SDK, or a parameter cannot be used
 * @throws NodeApiError if the credential cannot be used
 */
export async function supply(
	context: ISupplyDataFunctions,
	itemIndex: number,
): Promise<SupplyData> {
	// A static import would make the whole package fail on an older n8n.
	const sdk = await import('@n8n/ai-node-sdk').catch(() => undefined);
	const { maxRetries, ...parameters } = readModelParameters(context, itemIndex);
	const session = await openSession(context, CHAT_REQUEST);
	if ('failure' in session) throw modelError(context, itemIndex, session);
	const { settings } = session;
	const supplied = sdk?.supplyModel(context, {
		...parameters,
		type: 'openai',
		baseUrl: urlOf('chatCompletions', settings).replace(/\/chat\/completions$/, ''),
		apiKey: PLACEHOLDER,
		// `platformFetch` sends requests again. The SDK would ignore the platform's Retry-After.
		maxRetries: 0,
		onFailedAttempt: (error) => {
			const { cause } = error as Error;
			if (cause instanceof FetchFailed) throw cause.error;
		},
	});
	const model = supplied?.response as OpenAiModel | undefined;
	if (!model?.fields?.configuration) throw sdkMissing(context);
	const { timeout } = parameters;
	model.fields.configuration.fetch = platformFetch({
		context,
		itemIndex,
		settings,
		maxRetries,
		timeout,
	});
	return { response: model.withConfig({}) };
}

function sdkMissing(context: ISupplyDataFunctions): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		'The Social Open Platform Chat Model needs n8n 2.16 or newer',
		{
			description:
				"This version of n8n does not include the package '@n8n/ai-node-sdk', or includes one that this node does not support. Update n8n and this package. The other nodes of this package work with this version, and the operation Create Completion uses the same models.",
			functionality: 'configuration-node',
		},
	);
}
