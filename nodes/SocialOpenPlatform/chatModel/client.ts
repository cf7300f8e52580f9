import { sleep, type ISupplyDataFunctions } from 'n8n-workflow';
import type { HttpAnswer } from '../protocol/answer';
import type { ChatJson, Flaw } from '../protocol/chat';
import { readChatAnswer } from '../protocol/chatAnswer';
import { waitBefore } from '../protocol/rateLimit';
import {
	notSent,
	paragraphOf,
	toNodeError,
	unanswered,
	unexpected,
	type Failed,
	type NodeError,
	type Outcome,
} from '../transport/outcome';
import { request, type Connection } from '../transport/request';
import { streamed, whole, type ResponseFormat, type Streamed } from '../transport/response';
import type { ModelOptions } from './options';

export const WHAT = 'the chat request';

const OPERATION = 'chatCompletions';

const read = (answer: HttpAnswer, secrets: readonly string[]) =>
	readChatAnswer(OPERATION, answer, secrets);

export interface ChatRequest {
	body: Record<string, unknown>;
	/** LangChain's signal: aborted when the answer is not needed any more. */
	signal?: AbortSignal;
}

/** The failure of a stream, as its generators throw it. */
export class StreamFailed extends Error {
	constructor(readonly failed: Failed) {
		super(failed.failure.message);
	}
}

/** @param reason what came instead of the answer, as the second half of a sentence */
export const streamBroken = (reason: string) => new StreamFailed(unanswered(WHAT, reason));

export function failedStream(error: unknown): Failed {
	return error instanceof StreamFailed ? error.failed : unexpected(error);
}

/** An answer that no agent can use. */
export function incomplete({ message, advice }: Flaw): Failed {
	return { kind: 'incomplete', failure: { message, description: advice } };
}

/** Sends the requests of a chat model, and repeats those without a usable answer. */
export class ChatClient {
	constructor(
		private readonly node: ISupplyDataFunctions,
		private readonly itemIndex: number,
		private readonly connection: Connection,
		private readonly options: ModelOptions,
	) {}

	/** Milliseconds to wait for an answer, or for the next piece of a streamed one. */
	get timeout(): number {
		return Math.ceil(this.options.timeout * 1000);
	}

	/** What an answer may repeat and nobody may see. */
	get secrets(): readonly string[] {
		const { session } = this.connection;
		return session.secretsOf(session.credentialWithoutExchange());
	}

	/** @throws NodeError when there is no answer */
	async send({ body, signal }: ChatRequest): Promise<ChatJson> {
		const outcome = await this.repeat(signal, async (abort) => {
			return await this.request(body, whole(read), abort).finally(() => abort.abort());
		});
		if (outcome.kind === 'accepted') return outcome.value;
		throw this.errorOf(outcome);
	}

	/**
	 * @param begin waits for the first piece of the answer: until then the request can be repeated
	 * @throws NodeError when no answer begins
	 */
	async openStream<T>(
		{ body, signal }: ChatRequest,
		begin: (answer: Streamed<ChatJson>, close: () => void) => Promise<T>,
	): Promise<T> {
		const outcome = await this.repeat(signal, async (abort): Promise<Outcome<T>> => {
			const opened = await this.request(body, streamed(read), abort);
			if (opened.kind !== 'accepted') return opened;
			return await begin(opened.value, () => abort.abort()).then(
				(value) => ({ kind: 'accepted', value }),
				failedStream,
			);
		});
		if (outcome.kind === 'accepted') return outcome.value;
		throw this.streamErrorOf(outcome);
	}

	/**
	 * The error of a failed request. It belongs to the model, not to the agent. LangChain would send the
	 * request six more times, except after an aborted connection.
	 */
	errorOf(outcome: Exclude<Outcome<unknown>, { kind: 'accepted' }>): NodeError {
		const failed =
			outcome.kind === 'stopped'
				? notSent(WHAT, 'the execution was cancelled', 'Run it again when it is wanted.')
				: outcome;
		const error = toNodeError(this.node.getNode(), this.itemIndex, failed);
		Object.defineProperty(error, 'code', { value: 'ECONNABORTED', configurable: true });
		return Object.assign(error, { functionality: 'configuration-node' as const });
	}

	/** The same for a streamed answer: n8n shows only the description then. */
	streamErrorOf(outcome: Exclude<Outcome<unknown>, { kind: 'accepted' }>): NodeError {
		const error = this.errorOf(outcome);
		const { message, description } = error;
		if (description?.startsWith(message)) return error;
		error.description = paragraphOf({ message, description: description ?? undefined });
		return error;
	}

	private async request<T>(
		body: Record<string, unknown>,
		format: ResponseFormat<T>,
		abort: AbortController,
	): Promise<Outcome<T>> {
		return await request(this.connection, this.itemIndex, {
			operation: OPERATION,
			body,
			format,
			abort,
			timeout: this.timeout,
			rateLimitWait: this.options.rateLimitWait * 1000,
			what: WHAT,
			isSafeToRepeat: true,
		});
	}

	/** Repeats a request without an answer. Nothing is published by it. */
	private async repeat<T>(
		signal: AbortSignal | undefined,
		attempt: (abort: AbortController) => Promise<Outcome<T>>,
	): Promise<Outcome<T>> {
		for (let sends = 1; ; sends++) {
			const abort = new AbortController();
			if (signal?.aborted) abort.abort();
			signal?.addEventListener('abort', () => abort.abort(), { signal: abort.signal });
			const outcome = await attempt(abort);
			const isCancelled = signal?.aborted || this.node.getExecutionCancelSignal()?.aborted;
			const isLast = sends > this.options.maxRetries || isCancelled;
			if (isLast || !isWithoutAnswer(outcome)) return outcome;
			await sleep(waitBefore(undefined, sends, Math.random()));
		}
	}
}

/** A redirect is an answer: repeating the request would not help. */
function isWithoutAnswer(outcome: Outcome<unknown>): boolean {
	if (outcome.kind !== 'unknown') return false;
	const { http_status: status = 0 } = outcome.failure.facts ?? {};
	return status < 300 || status >= 400;
}
