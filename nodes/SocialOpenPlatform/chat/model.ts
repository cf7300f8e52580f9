import type { ISupplyDataFunctions } from 'n8n-workflow';
import { checkOptions, labelsOf, readOtherFields } from '../items/parameters';
import { check, text, toText } from '../items/values';
import { failed } from '../platform/outcome';
import { secretsIn } from '../platform/redact';
import { openSession } from '../platform/session';
import { urlOf } from '../platform/settings';
import { CHAT_REQUEST } from './response';
import { chatOptionsSchema, modelProperties } from './fields';
import { FetchFailed, modelError, platformFetch, type ModelItem } from './modelFetch';

/** LangChain's ChatOpenAI has these parts, which replace its `fetch`. */
interface OpenAiModel {
	/** `withConfig` and `bindTools` build a model from these options. */
	fields?: { configuration?: { fetch?: typeof fetch } };
	withConfig(config: object): unknown;
}

/** *Other Fields (JSON)* must not contain these fields, which the model's client sends. */
const ownFields = ['model', 'messages', 'tools', 'temperature', 'max_tokens', 'stream', 'stop'];

/**
 * Supplies a chat model of the platform to n8n's AI nodes. The model comes from n8n's SDK
 * (https://www.npmjs.com/package/@n8n/ai-node-sdk).
 *
 * @throws NodeOperationError if n8n lacks the SDK, or a parameter cannot be used
 * @throws NodeApiError if the credential cannot be used
 */
export async function supply(context: ISupplyDataFunctions, itemIndex: number) {
	// A static import would make the whole package fail on an older n8n.
	const sdk = await import('@n8n/ai-node-sdk').catch(() => undefined);
	const item = { node: context.getNode(), itemIndex };
	const read = readModelParameters(context, item);
	const session = await openSession(context, CHAT_REQUEST);
	if ('failure' in session) throw modelError(item, session);
	const { settings } = session;
	const supplied = sdk?.supplyModel(context, {
		...read,
		type: 'openai',
		baseUrl: urlOf('chatCompletions', settings).replace(/\/chat\/completions$/, ''),
		// The model's client requires a key. `platformFetch` sends the App Secret instead.
		apiKey: 'not-used',
		// `platformFetch` sends requests again. The SDK would ignore the platform's Retry-After.
		maxRetries: 0,
		onFailedAttempt: (error) => {
			const { cause } = error as Error;
			if (cause instanceof FetchFailed) throw cause.error;
		},
	});
	const model = supplied?.response as OpenAiModel | undefined;
	if (!model?.fields?.configuration) {
		const message = 'The Social Open Platform Chat Model needs n8n 2.16 or newer';
		const description =
			"This version of n8n does not include the package '@n8n/ai-node-sdk', or includes one that this node does not support. Update n8n and this package. The other nodes of this package work with this version, and the operation Create Completion uses the same models.";
		throw modelError(item, { kind: 'invalid', failure: { message, description } });
	}
	try {
		model.fields.configuration.fetch = platformFetch({
			...item,
			...read,
			settings,
			secrets: secretsIn(settings.appSecret, settings.accessToken),
		});
	} catch (error) {
		throw modelError(item, failed.credentialUnusable(CHAT_REQUEST, (error as Error).message));
	}
	return { response: model.withConfig({}) };
}

/**
 * Reads the parameters of the chat model, with the names that n8n's SDK uses.
 *
 * @throws NodeOperationError if a parameter cannot be used
 */
function readModelParameters(context: ISupplyDataFunctions, item: ModelItem) {
	const labels = labelsOf(modelProperties);
	const model = check(text, toText(context.getNodeParameter('model', item.itemIndex)));
	const { options, issues } = checkOptions(
		chatOptionsSchema(),
		context.getNodeParameter('options', item.itemIndex),
		labels,
	);
	const { timeout, additionalBodyFields, ...more } = options;
	const others = readOtherFields(additionalBodyFields, labels.additionalBodyFields!, ownFields);
	if (model.issue) issues.push({ field: labels.model!, message: model.issue });
	issues.push(...others.issues);
	if (issues.length > 0) throw modelError(item, failed.invalid(undefined, issues));
	return {
		...more,
		model: model.value!,
		additionalParams: others.fields,
		timeout: Math.ceil(timeout * 1000),
	};
}
