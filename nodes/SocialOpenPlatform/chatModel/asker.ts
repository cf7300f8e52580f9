import { NodeApiError, sleep, type ISupplyDataFunctions } from 'n8n-workflow';
import type { ChatJson, Flaw } from '../protocol/chat';
import { readChatAnswer } from '../protocol/chatAnswer';
import type { HttpAnswer } from '../protocol/httpAnswer';
import { waitBefore } from '../protocol/rateLimit';
import {
	apiError,
	paragraphOf,
	unanswered,
	type Clues,
	type ErrorFacts,
	type Failure,
} from '../transport/errors';
import { streamed, whole, type Reception, type Streamed } from '../transport/reception';
import { request, type Line } from '../transport/request';
import type { ModelOptions } from './modelOptions';

const WHAT = 'the chat request';

const OPERATION = 'chatCompletions';

const read = (answer: HttpAnswer, secrets: readonly string[]) =>
	readChatAnswer(OPERATION, answer, secrets);

/** What is asked. */
export interface Question {
	body: Record<string, unknown>;
	/** LangChain's: nobody waits any more. */
	signal?: AbortSignal;
}

export type StreamedAnswer = Streamed<ChatJson>;

/** Asks the platform, more than once where that may help. */
export class Asker {
	constructor(
		private readonly node: ISupplyDataFunctions,
		private readonly itemIndex: number,
		private readonly line: Line,
		private readonly options: ModelOptions,
		private readonly isStreaming = false,
	) {}

	/** The same for an answer in pieces. */
	streaming(): Asker {
		return new Asker(this.node, this.itemIndex, this.line, this.options, true);
	}

	/** Milliseconds to wait for an answer, or for its next piece. */
	get timeout(): number {
		return Math.ceil(this.options.timeout * 1000);
	}

	/** What an answer may repeat, and must not be shown. */
	get secrets(): readonly string[] {
		const { session } = this.line;
		return session.secretsOf(session.credentialWithoutExchange());
	}

	async ask({ body, signal }: Question): Promise<ChatJson> {
		return await this.persist(signal, async (abandon) => {
			return await this.send(body, whole(read), abandon).finally(() => abandon.abort());
		});
	}

	/** @param begin waits for the beginning of what was asked for: until then it can be asked for again */
	async askForStream<T>(
		{ body, signal }: Question,
		begin: (answer: StreamedAnswer, letGo: () => void) => Promise<T>,
	): Promise<T> {
		return await this.persist(signal, async (abandon) => {
			const answer = await this.send(body, streamed(read), abandon);
			return await begin(answer, () => abandon.abort());
		});
	}

	/** The error of an answer that did not come, or not to its end. */
	unanswered(reason: string): NodeApiError {
		return this.error(unanswered(WHAT, reason));
	}

	/** The error of an answer that no agent could go on with. */
	flawed({ message, advice }: Flaw): NodeApiError {
		return this.error({ message, description: advice, facts: { outcome: 'incomplete' } });
	}

	private error(failure: Failure): NodeApiError {
		return this.atTheModel(apiError(this.node.getNode(), this.itemIndex, failure));
	}

	private async send<T>(
		body: Record<string, unknown>,
		reception: Reception<T>,
		abandon: AbortController,
	): Promise<T> {
		const call = {
			operation: OPERATION,
			body,
			reception,
			abandon,
			timeout: this.timeout,
			rateLimitWait: this.options.rateLimitWait * 1000,
			what: WHAT,
			unanswered: (reason: string, clues?: Clues) => unanswered(WHAT, reason, clues),
		} as const;
		return await (request<T>).call(this.node, this.itemIndex, call, this.line);
	}

	/** Nothing is published by asking, so what was not answered can be asked again. */
	private async persist<T>(
		signal: AbortSignal | undefined,
		deed: (abandon: AbortController) => Promise<T>,
	): Promise<T> {
		for (let sends = 1; ; sends++) {
			const abandon = new AbortController();
			if (signal?.aborted) abandon.abort();
			signal?.addEventListener('abort', () => abandon.abort(), { signal: abandon.signal });
			const outcome = await deed(abandon).then(
				(value) => ({ value }),
				(error: Error) => ({ error }),
			);
			if ('value' in outcome) return outcome.value;
			const isCancelled = signal?.aborted || this.node.getExecutionCancelSignal()?.aborted;
			const isLast = sends > this.options.maxRetries || isCancelled;
			if (isLast || !isUnanswered(outcome.error)) throw this.atTheModel(outcome.error);
			await sleep(waitBefore(undefined, sends, Math.random()));
		}
	}

	/**
	 * Says that the error is the model's, not the agent's. And that it is final: LangChain would ask six
	 * times more, except after an aborted connection. Of an error in the middle of a stream n8n sends on
	 * the description alone, to people who see nothing else.
	 */
	private atTheModel<T extends Error & { description?: string | null }>(error: T): T {
		Object.defineProperty(error, 'code', { value: 'ECONNABORTED', configurable: true });
		const isSaid = error.description?.startsWith(error.message);
		const said = this.isStreaming && !isSaid && { description: paragraphOf(error) };
		return Object.assign(error, { functionality: 'configuration-node' }, said);
	}
}

function isUnanswered(error: Error): boolean {
	const facts = error instanceof NodeApiError ? (error.context.data as ErrorFacts) : undefined;
	const { outcome, http_status: status = 0 } = facts ?? {};
	const isElsewhere = status >= 300 && status < 400;
	return outcome === 'unknown' && !isElsewhere;
}
