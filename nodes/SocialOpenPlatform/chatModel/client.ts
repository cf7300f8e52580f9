import { sleep, type ISupplyDataFunctions } from 'n8n-workflow';
import type { HttpAnswer } from '../protocol/answer';
import { readChatAnswer } from '../protocol/chat/answer';
import type { ChatJson, Flaw } from '../protocol/chat/reply';
import { waitBefore } from '../protocol/rateLimit';
import {
	notSent,
	paragraphOf,
	toNodeError,
	withDescription,
	noUsableResponse,
	unexpected,
	type Failed,
	type NodeError,
	type Outcome,
} from '../transport/outcome';
import { sendRequest, type Connection } from '../transport/request';
import { streamed, whole, type ResponseFormat, type Streamed } from '../transport/response';
import type { ModelOptions } from './options';

/** How messages name a request of the chat model. */
export const CHAT_REQUEST = 'the chat request';

const OPERATION = 'chatCompletions';

/** LangChain does not resend a request after an error with this code. */
const FINAL_ERROR_CODE = 'ECONNABORTED';

type NotAccepted = Exclude<Outcome<unknown>, { kind: 'accepted' }>;

export interface ChatRequest {
	body: Record<string, unknown>;
	/** LangChain's signal, which is aborted when the response is no longer needed. */
	signal?: AbortSignal;
}

/** The error that the generators of a stream throw, with its failure. */
export class StreamFailed extends Error {
	constructor(readonly failed: Failed) {
		super(failed.failure.message);
	}
}

/**
 * Creates the error of a broken stream.
 *
 * @param reason what happened instead of a response, as the second half of a sentence
 */
export function streamBroken(reason: string): StreamFailed {
	return new StreamFailed(noUsableResponse(CHAT_REQUEST, reason));
}

/** The failure of an error that a generator of a stream has thrown. */
export function failureIn(error: unknown): Failed {
	return error instanceof StreamFailed ? error.failed : unexpected(error);
}

/** The failure of a response that an agent cannot use. */
export function incomplete({ message, advice }: Flaw): Failed {
	return { kind: 'incomplete', failure: { message, description: advice } };
}

/** Sends the requests of a chat model. It resends a request that got no usable response. */
export class ChatClient {
	constructor(
		private readonly context: ISupplyDataFunctions,
		private readonly itemIndex: number,
		private readonly connection: Connection,
		private readonly options: ModelOptions,
	) {}

	/** Milliseconds to wait for a response, or for the next part of a streamed response. */
	get timeout(): number {
		return Math.ceil(this.options.timeout * 1000);
	}

	/** Secrets that may occur in a response. */
	get secrets(): readonly string[] {
		const { session } = this.connection;
		return session.secretsOf(session.credentialWithoutExchange());
	}

	/** @throws NodeError if there is no usable response */
	async send({ body, signal }: ChatRequest): Promise<ChatJson> {
		const outcome = await this.resend(signal, async (abort) => {
			return await this.request(body, whole(read), abort).finally(() => abort.abort());
		});
		if (outcome.kind === 'accepted') return outcome.value;
		throw this.errorOf(outcome);
	}

	/**
	 * Sends a request whose response is streamed.
	 *
	 * @param begin waits for the first part of the response. Until it has arrived, the request can be
	 * resent.
	 * @throws NodeError if no part of a response arrives
	 */
	async openStream<T>(
		{ body, signal }: ChatRequest,
		begin: (response: Streamed<ChatJson>, close: () => void) => Promise<T>,
	): Promise<T> {
		const outcome = await this.resend(signal, async (abort): Promise<Outcome<T>> => {
			const opened = await this.request(body, streamed(read), abort);
			if (opened.kind !== 'accepted') {
				abort.abort();
				return opened;
			}
			return await begin(opened.value, () => abort.abort()).then(
				(value) => ({ kind: 'accepted', value }),
				failureIn,
			);
		});
		if (outcome.kind === 'accepted') return outcome.value;
		throw this.streamErrorOf(outcome);
	}

	/** The error of a failed request. n8n shows it on the model node, not on the agent node. */
	errorOf(outcome: NotAccepted): NodeError {
		const failed =
			outcome.kind === 'stopped'
				? notSent(CHAT_REQUEST, 'the execution was cancelled', 'Run the workflow again if needed.')
				: outcome;
		const error = toNodeError(this.context.getNode(), this.itemIndex, failed);
		Object.defineProperty(error, 'code', { value: FINAL_ERROR_CODE, configurable: true });
		return Object.assign(error, { functionality: 'configuration-node' as const });
	}

	/**
	 * The error of a failed stream. n8n shows only the description of such an error, so the
	 * description includes the message.
	 */
	streamErrorOf(outcome: NotAccepted): NodeError {
		const error = this.errorOf(outcome);
		const { message, description } = error;
		if (description?.startsWith(message)) return error;
		return withDescription(error, paragraphOf({ message, description: description ?? undefined }));
	}

	private async request<T>(
		body: Record<string, unknown>,
		format: ResponseFormat<T>,
		abort: AbortController,
	): Promise<Outcome<T>> {
		return await sendRequest(this.connection, this.itemIndex, {
			operation: OPERATION,
			body,
			format,
			abort,
			timeout: this.timeout,
			rateLimitWait: this.options.rateLimitWait * 1000,
			what: CHAT_REQUEST,
			isSafeToRepeat: true,
		});
	}

	/**
	 * Sends a request, and resends it up to *Max Retries* times while there is no response. This is
	 * safe, because a chat request publishes nothing.
	 */
	private async resend<T>(
		signal: AbortSignal | undefined,
		attempt: (abort: AbortController) => Promise<Outcome<T>>,
	): Promise<Outcome<T>> {
		for (let sends = 1; ; sends++) {
			const abort = new AbortController();
			if (signal?.aborted) abort.abort();
			signal?.addEventListener('abort', () => abort.abort(), { signal: abort.signal });
			const outcome = await attempt(abort);
			const isCancelled = signal?.aborted || this.context.getExecutionCancelSignal()?.aborted;
			const isLast = sends > this.options.maxRetries || isCancelled;
			if (isLast || !isWithoutResponse(outcome)) return outcome;
			await sleep(waitBefore(undefined, sends, Math.random()));
		}
	}
}

function read(answer: HttpAnswer, secrets: readonly string[]) {
	return readChatAnswer(OPERATION, answer, secrets);
}

/**
 * Whether a request got no response. A redirect is a response, and resending the request would only
 * lead to the same redirect.
 */
function isWithoutResponse(outcome: Outcome<unknown>): boolean {
	if (outcome.kind !== 'unknown') return false;
	const { http_status: status = 0 } = outcome.failure.facts ?? {};
	return status < 300 || status >= 400;
}
