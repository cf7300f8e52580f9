import { sleep, type INode, type ISupplyDataFunctions } from 'n8n-workflow';
import { checkOptions, labelsOf, readOtherFields } from '../items/parameters';
import { toNodeError, withDescription } from '../items/run';
import { check, text, toText } from '../items/values';
import { waitBefore } from '../platform/codes';
import { readConnectionError } from '../platform/connection';
import { type Failed, failed, paragraphOf } from '../platform/outcome';
import { fieldsOf, redact, secretsIn } from '../platform/json';
import { jsonOf, readWhole } from '../platform/response';
import { openSession } from '../platform/session';
import { chatSecret, urlOf, type Settings } from '../platform/settings';
import { chatOptionsSchema, modelProperties } from './fields';
import { CHAT_REQUEST, readChatResponse } from './response';

/** The parts of LangChain's `ChatOpenAI` that `supply` uses to replace its `fetch`. */
interface OpenAiModel {
	/** `withConfig` and `bindTools` create a new model from these options. */
	fields?: { configuration?: { fetch?: typeof fetch } };
	withConfig(config: object): unknown;
}

/**
 * Request fields that *Other Fields (JSON)* must not contain. The model itself sends them. With `n`,
 * it would mix several answers.
 */
const ownFields = [
	'model',
	'messages',
	'n',
	'tools',
	'temperature',
	'max_tokens',
	'stream',
	'stop',
];

/**
 * Supplies a chat model of the platform to n8n's AI nodes. The model is created with n8n's SDK
 * (https://www.npmjs.com/package/@n8n/ai-node-sdk).
 *
 * @throws NodeOperationError if n8n has no supported SDK, or if a parameter cannot be used
 * @throws NodeApiError if the credential cannot be used
 */
export async function supply(context: ISupplyDataFunctions, itemIndex: number) {
	// With a static import, the whole package would not load in n8n versions without this SDK.
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
		// The model requires a key. `platformFetch` sends the App Secret instead.
		apiKey: 'not-used',
		// `platformFetch` resends requests itself, because the SDK would ignore the Retry-After header.
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
 * Reads the chat model's parameters, and returns them under the names that n8n's SDK uses.
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

/** The node and the item to which an error refers. */
interface ModelItem {
	node: INode;
	itemIndex: number;
}

interface FetchOptions extends ModelItem {
	settings: Settings;
	/** The spellings of the secrets, which are redacted in errors and responses. */
	secrets: readonly string[];
	maxRetries: number;
	/** Milliseconds to wait for a complete response or the start of a stream, including retries. */
	timeout: number;
}

/** Wraps an error, because the model would replace an error that mentions a timeout. */
class FetchFailed extends Error {
	constructor(readonly error: Error) {
		super('The chat request failed');
	}
}

const request = { what: CHAT_REQUEST, operation: 'chatCompletions' as const };

/** Maximum length of a stream in characters, including {@link LINE_COST} for each line. */
const MAX_STREAM = 16 * 2 ** 20;

/** Number of characters that a line counts for beside its own, because every line takes time. */
const LINE_COST = 50;

const DONE = /^data: ?\[DONE\]/;

/** Matches a line of a stream after which the answer is complete. */
const IS_LAST =
	/^data:.*("finish_reason"\s*:\s*"\w|"type"\s*:\s*"response\.(completed|incomplete)")/s;

/**
 * Matches the beginning of a stream. Some platforms send a stream without the content type
 * `text/event-stream`.
 */
const IS_EVENT = /^\s*(data|event|id|retry)?:/;

/** Matches the first line of an event that reports an error. */
const IS_ERROR = /^(event: ?error|data: ?\{"type": ?"error")/;

/** Matches a line that may be a refusal. Some platforms send a refusal without `data:`. */
const MAY_REFUSE = /"(error|success|base_resp)"/;

/**
 * Creates the error to show. In a streamed chat, n8n shows only the description of an error, so the
 * description includes the message.
 */
function modelError({ node, itemIndex }: ModelItem, outcome: Failed, mayBeStreamed = true) {
	const error = toNodeError(node, itemIndex, outcome);
	if (mayBeStreamed) withDescription(error, paragraphOf(outcome.failure));
	// This property makes n8n show the error on the model node instead of the agent node.
	return Object.assign(error, { functionality: 'configuration-node' as const });
}

/**
 * Creates the model's `fetch`. The function sends the App Secret in the configured header, resends
 * a request after a rate limit, HTTP 5xx or a broken connection, and throws readable errors without
 * secrets. The model's options do not contain the secret, because n8n stores them with the
 * execution.
 *
 * @throws CredentialUnusable if no header can contain the App Secret
 */
function platformFetch(options: FetchOptions): typeof fetch {
	const secret = chatSecret(options.settings);
	return async (url, init = {}) => {
		const { stream: isStreamed } = JSON.parse(init.body as string) as { stream: boolean };
		const headers = new Headers(init.headers);
		// This header contains only the placeholder for an API key.
		headers.delete('Authorization');
		headers.set(options.settings.chatAuthHeader, secret);
		const endsAt = performance.now() + options.timeout;
		for (let sends = 1; ; sends++) {
			// If `fetch` followed a redirect, it would send a secret in a custom header to the target.
			const fetched = await fetch(url, { ...init, headers, redirect: 'manual' })
				.then(async (response) => await readFetched(response, isStreamed, options))
				.catch((thrown: unknown) => {
					// `readConnectionError` (connection.ts) recognizes a timeout by this word.
					const error = init.signal?.aborted ? new Error('timeout') : originOf(thrown);
					return failed.noResponse(request, readConnectionError(error));
				});
			if (!('failure' in fetched)) return fetched;
			const { cause, facts } = fetched.failure;
			const wait = waitBefore(cause?.retryAfterMs, sends, Math.random());
			// A failure without a status, such as a broken connection, is not final.
			const isFinal = Number(facts?.http_status) < 500 && cause?.cause !== 'rate-limited';
			const isLate = init.signal?.aborted || performance.now() + wait > endsAt;
			if (isFinal || isLate || sends > options.maxRetries) {
				throw new FetchFailed(modelError(options, fetched, isStreamed));
			}
			await sleep(wait);
		}
	};
}

/** Reads a response. A stream is returned at once, and its lines are checked as they arrive. */
async function readFetched(response: Response, isStreamed: boolean, options: FetchOptions) {
	const [peeked, body] = response.body?.tee() ?? [];
	const reader = peeked?.getReader();
	const begin = Buffer.from((await reader?.read())?.value ?? []);
	reader?.cancel().catch(() => {});
	const headers = Object.fromEntries(response.headers);
	const isEventStream =
		/^text\/event-stream/i.test(headers['content-type'] ?? '') || IS_EVENT.test(begin.toString());
	if (isStreamed && response.ok && body && isEventStream) {
		return new Response(checkedLines(body, options), response);
	}
	const outcome = await readWhole(
		{ statusCode: response.status, headers, body: (body ?? []) as never },
		readChatResponse,
		{ ...request, ...options },
	);
	if (outcome.kind !== 'accepted') return outcome;
	if (!isStreamed) return Response.json(outcome.value);
	return failed.unknown(
		request,
		'the platform responded with JSON instead of a stream',
		"Turn off 'Enable Streaming' in the agent.",
		response.status,
	);
}

/**
 * Yields a stream's complete lines as they arrive. After the line `[DONE]`, the generator returns
 * and thereby closes the connection, because some platforms keep it open.
 *
 * @throws NodeApiError if the stream contains a refusal, ends before the answer is complete, or is
 * too large
 */
async function* checkedLines(stream: ReadableStream<Uint8Array>, options: FetchOptions) {
	let isComplete = false;
	let isDone = false;
	let reason = 'the answer was cut off in the middle';
	let size = 0;
	let event = '';
	let rest = '';
	let isError = false;
	const parts = async function* () {
		try {
			yield* stream.pipeThrough(new TextDecoderStream());
			yield '\n';
		} catch (error) {
			if (/timeout/i.test(originOf(error).message)) reason = 'no further part arrived in time';
		}
	};
	for await (const part of parts()) {
		const lines = part.replace(/\r/g, '').split('\n');
		size += part.length + LINE_COST * lines.length;
		if (size > MAX_STREAM) {
			throw modelError(options, failed.unknown(request, 'the answer is larger than 16 MB'));
		}
		lines[0] = rest + lines[0]!;
		rest = lines.pop()!;
		for (const line of lines) {
			isError ||= IS_ERROR.test(line);
			const data = line.replace(/^data:/, '');
			if (MAY_REFUSE.test(data) || (isError && data !== line)) {
				const json = jsonOf(data) ?? data;
				// An error event may contain the error's fields without `error` around them.
				const body = isError && !fieldsOf(json).error ? JSON.stringify({ error: json }) : data;
				const outcome = readChatResponse({ status: 200, body }, { ...request, ...options });
				if (outcome.kind === 'refused') throw modelError(options, outcome);
			}
			isDone ||= DONE.test(line);
			isComplete ||= isDone || IS_LAST.test(line);
		}
		if (lines.length) event += redact(`${lines.join('\n')}\n`, options.secrets);
		// The model scans an unfinished event again for each chunk, so a chunk contains at least the
		// end of an event.
		if (lines.includes('')) {
			yield Buffer.from(event);
			event = '';
		}
		if (isDone) break;
	}
	if (!isComplete) throw modelError(options, failed.unknown(request, reason));
	// The model ignores an event without a blank line after it.
	yield Buffer.from(`${event}\n`);
}

/** Returns the original error, which `fetch` keeps as the cause of its own error. */
const originOf = (error: unknown) => ((error as Error).cause ?? error) as Error;
