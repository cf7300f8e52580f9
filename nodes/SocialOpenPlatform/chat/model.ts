import { NodeOperationError, type ISupplyDataFunctions, type SupplyData } from 'n8n-workflow';
import { chatSecret } from '../platform/chatSecret';
import { urlOf } from '../platform/endpoints';
import { secretsIn } from '../platform/redact';
import {
	credentialUnusable,
	paragraphOf,
	toNodeError,
	withDescription,
	type Failed,
} from '../platform/outcome';
import { openSession } from '../platform/session';
import { CHAT_REQUEST, FetchFailed, platformFetch } from './modelFetch';
import { readModelParameters } from './modelFields';

/** The parts of LangChain's ChatOpenAI that replace its `fetch`. */
interface OpenAiModel {
	/** The options from which `withConfig` and `bindTools` build a model. */
	fields?: { configuration?: { fetch?: typeof fetch } };
	withConfig(config: object): unknown;
}

/** n8n then shows the error on the model node, not on the agent node. */
const onModelNode = { functionality: 'configuration-node' as const };

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
	// Where a chat streams, n8n shows only the description of an error, which therefore includes the
	// message.
	const errorOf = (failed: Failed, isStreamed = true) => {
		const error = toNodeError(context.getNode(), itemIndex, failed);
		if (isStreamed) withDescription(error, paragraphOf(failed.failure));
		return Object.assign(error, onModelNode);
	};
	const read = readModelParameters(context, itemIndex);
	if ('failure' in read) throw errorOf(read);
	const session = await openSession(context, CHAT_REQUEST);
	if ('failure' in session) throw errorOf(session);
	const { maxRetries, ...parameters } = read;
	const { settings } = session;
	let secret: string;
	try {
		secret = chatSecret(settings);
	} catch (error) {
		throw errorOf(credentialUnusable(CHAT_REQUEST, (error as Error).message));
	}
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
	const secrets = secretsIn(settings.appSecret, settings.accessToken);
	const options = { settings, secret, secrets, maxRetries, timeout, errorOf };
	model.fields.configuration.fetch = platformFetch(options);
	return { response: model.withConfig({}) };
}

function sdkMissing(context: ISupplyDataFunctions): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		'The Social Open Platform Chat Model needs n8n 2.16 or newer',
		{
			description:
				"This version of n8n does not include the package '@n8n/ai-node-sdk', or includes one that this node does not support. Update n8n and this package. The other nodes of this package work with this version, and the operation Create Completion uses the same models.",
			...onModelNode,
		},
	);
}
