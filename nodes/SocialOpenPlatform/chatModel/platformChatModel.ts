import type {
	ChatModel,
	ChatModelConfig,
	GenerateResult,
	Message,
	StreamChunk,
	Tool,
} from '@n8n/ai-node-sdk';
import { readCompletion } from '../protocol/chat';
import type { Asker, Question } from './asker';
import { toWire } from './messages';
import { flawOf, resultOf } from './result';
import type { Sdk } from './sdk';
import { beginStream } from './stream';
import { toolsOnTheWire } from './tools';

/** What a model needs to ask. */
interface Means {
	asker: Asker;
	sdk: Sdk;
	/** What is the same in all its requests, but for the model's name. */
	body: Record<string, unknown>;
}

/** LangChain's names of what n8n's SDK hands on as it is. */
interface CallOptions extends ChatModelConfig {
	/** Texts at which the answer is to end. */
	stop?: string[];
	signal?: AbortSignal;
}

/** A model of the platform, as n8n's SDK wants one: asked through `POST /v1/chat/completions`. */
export class PlatformChatModel implements ChatModel {
	readonly provider = 'social-open-platform';

	/** Private to the language: n8n stores what of a model can be seen. */
	readonly #means: Means;

	constructor(
		readonly modelId: string,
		means: Means,
		private readonly tools: Tool[] = [],
	) {
		this.#means = means;
	}

	async generate(messages: Message[], config?: ChatModelConfig): Promise<GenerateResult> {
		const { asker } = this.#means;
		const reply = readCompletion(await asker.ask(this.questionOf(messages, config)));
		const flaw = flawOf(reply);
		if (flaw) throw asker.flawed(flaw);
		return resultOf(reply);
	}

	async *stream(messages: Message[], config?: ChatModelConfig): AsyncGenerator<StreamChunk> {
		const { sdk } = this.#means;
		const asker = this.#means.asker.streaming();
		const { body, signal } = this.questionOf(messages, config);
		const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
		const chunks = await asker.askForStream(
			{ body: streamed, signal },
			async (answer, letGo) => await beginStream(asker, sdk, { answer, letGo }),
		);
		yield* chunks();
	}

	withTools(tools: Tool[]): ChatModel {
		return new PlatformChatModel(this.modelId, this.#means, [...this.tools, ...tools]);
	}

	private questionOf(messages: Message[], config: CallOptions = {}): Question {
		const { body: given, sdk } = this.#means;
		const body = {
			model: this.modelId,
			messages: toWire(messages),
			tools: toolsOnTheWire(this.tools, sdk),
			stop: config.stop ?? config.stopSequences,
			...given,
		};
		return { body, signal: config.abortSignal ?? config.signal };
	}
}
