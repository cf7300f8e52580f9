import type {
	ChatModel,
	ChatModelConfig,
	GenerateResult,
	Message,
	StreamChunk,
	Tool,
} from '@n8n/ai-node-sdk';
import { readCompletion } from '../protocol/chat/reply';
import { failureIn, incomplete, type ChatClient, type ChatRequest } from './client';
import { toRequestMessages, toRequestTools } from './messages';
import { whyUnusable, resultOf } from './result';
import type { Sdk } from './sdk';
import { beginStream } from './stream';

/** What all requests of a model share. */
interface RequestContext {
	client: ChatClient;
	sdk: Sdk;
	/** Request fields whose values come from the node's parameters. */
	body: Record<string, unknown>;
}

/** Options of LangChain, which n8n's SDK passes on with LangChain's own names. */
interface CallOptions extends ChatModelConfig {
	/** Texts before which the reply ends. */
	stop?: string[];
	signal?: AbortSignal;
}

/** A chat model of the platform for n8n's SDK. It uses `POST /v1/chat/completions`. */
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
		const flaw = whyUnusable(reply);
		if (flaw) throw client.errorOf(incomplete(flaw));
		return resultOf(reply);
	}

	async *stream(messages: Message[], config?: ChatModelConfig): AsyncGenerator<StreamChunk> {
		const { client, sdk } = this.#context;
		const { body, signal } = this.requestOf(messages, config);
		const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
		const chunks = await client.openStream(
			{ body: streamed, signal },
			async (response, close) => await beginStream(client, sdk, { response, close }),
		);
		try {
			yield* chunks();
		} catch (error) {
			throw client.streamErrorOf(failureIn(error));
		}
	}

	withTools(tools: Tool[]): ChatModel {
		return new PlatformChatModel(this.modelId, this.#context, [...this.tools, ...tools]);
	}

	private requestOf(messages: Message[], config: CallOptions = {}): ChatRequest {
		const { body: given, sdk } = this.#context;
		const body = {
			model: this.modelId,
			messages: toRequestMessages(messages),
			tools: toRequestTools(this.tools, sdk),
			stop: config.stop ?? config.stopSequences,
			...given,
		};
		return { body, signal: config.abortSignal ?? config.signal };
	}
}
