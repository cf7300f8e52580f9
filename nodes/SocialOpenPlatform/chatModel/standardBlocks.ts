/** A block of a LangChain message, in whichever of its dialects. */
interface Block {
	type?: unknown;
	image_url?: string | { url?: unknown };
	source_type?: unknown;
	mime_type?: unknown;
	[field: string]: unknown;
}

interface LangChainMessage {
	content?: unknown;
}

type Call = (messages: LangChainMessage[], ...rest: unknown[]) => unknown;

/** What of the SDK's LangChain model sees messages before the SDK converts them. */
interface Adapter {
	_generate?: Call;
	_streamResponseChunks?: Call;
	bindTools?: (...given: unknown[]) => object;
}

/** `data:image/png;base64,…` (RFC 2397) */
const DATA_URL = /^data:([^;,]+);base64,/;

function imageOf(url: string): Block {
	const mimeType = DATA_URL.exec(url)?.[1];
	if (mimeType === undefined) return { type: 'image', url };
	return { type: 'image', mimeType, data: url.slice(url.indexOf(',') + 1) };
}

function standard(block: Block): Block {
	const { type, image_url: image, source_type, mime_type: mimeType } = block;
	const url = typeof image === 'object' ? image.url : image;
	if (type === 'image_url' && typeof url === 'string') return imageOf(url);
	return source_type === undefined ? block : { ...block, mimeType };
}

function withStandardBlocks(message: LangChainMessage): LangChainMessage {
	if (!Array.isArray(message.content)) return message;
	const content = (message.content as Array<Block | null>).map((block) => block && standard(block));
	return Object.assign(
		Object.create(Object.getPrototypeOf(message) as object) as LangChainMessage,
		message,
		{ content },
	);
}

/**
 * Lets a model of the SDK take images and files as n8n's agents hand them on: as older blocks of
 * LangChain, which the SDK leaves out, or takes for files without a type.
 */
export function takingOlderBlocks<T>(model: T): T {
	const adapter = model as Adapter;
	for (const name of ['_generate', '_streamResponseChunks'] as const) {
		const call = adapter[name];
		if (!call) continue;
		adapter[name] = (messages, ...rest) =>
			call.call(model, messages.map(withStandardBlocks), ...rest);
	}
	const { bindTools } = adapter;
	if (bindTools) {
		adapter.bindTools = (...given) => takingOlderBlocks(bindTools.apply(model, given));
	}
	return model;
}
