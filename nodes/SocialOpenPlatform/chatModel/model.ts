import type {
	ChatModel,
	ChatModelConfig,
	GenerateResult,
	Message,
	StreamChunk,
	Tool,
} from '@n8n/ai-node-sdk';
import { readCompletion } from '../protocol/chat';
import { failedStream, incomplete, type ChatClient, type ChatRequest } from './client';
import { toolsToWire, toWire } from './messages';
import { flawOf, resultOf } from './result';
import { beginStream } from './stream';
import type { Sdk } from './supply';

/** What the requests of a model have in common. */
interface RequestContext {
	client: ChatClient;
	sdk: Sdk;
	/** The fields of each request that the parameters of the node determine. */
	body: Record<string, unknown>;
}

/** LangChain's own names, which n8n's SDK passes on. */
interface CallOptions extends ChatModelConfig {
	/** Texts that end the answer. */
	stop?: string[];
	signal?: AbortSignal;
}

/** A model of the platform in the form of n8n's SDK. It uses `POST /v1/chat/completions`. */
export class PlatformChatModel implements ChatModel {
	readonly provider = 'social-open-platform';

	/** `#private`, because n8n serializes enumerable properties into the execution. */
	readonly #context: RequestContext;

	constructor(
		readonly modelId: string,
		context: RequestContext,
		private readonly tools: Tool[] = [],
	) {
		this.#context = context;
	}

	async generate(messages: Message[], config?: ChatModelConfig): Promise<GenerateResult> {
		const { client } = this.#context;
		const reply = readCompletion(await client.send(this.requestOf(messages, config)));
		const flaw = flawOf(reply);
		if (flaw) throw client.errorOf(incomplete(flaw));
		return resultOf(reply);
	}

	async *stream(messages: Message[], config?: ChatModelConfig): AsyncGenerator<StreamChunk> {
		const { client, sdk } = this.#context;
		const { body, signal } = this.requestOf(messages, config);
		const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
		const chunks = await client.openStream(
			{ body: streamed, signal },
			async (answer, close) => await beginStream(client, sdk, { answer, close }),
		);
		try {
			yield* chunks();
		} catch (error) {
			throw client.streamErrorOf(failedStream(error));
		}
	}

	withTools(tools: Tool[]): ChatModel {
		return new PlatformChatModel(this.modelId, this.#context, [...this.tools, ...tools]);
	}

	private requestOf(messages: Message[], config: CallOptions = {}): ChatRequest {
		const { body: given, sdk } = this.#context;
		const body = {
			model: this.modelId,
			messages: toWire(messages),
			tools: toolsToWire(this.tools, sdk),
			stop: config.stop ?? config.stopSequences,
			...given,
		};
		return { body, signal: config.abortSignal ?? config.signal };
	}
}
