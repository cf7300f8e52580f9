import { NodeOperationError, type ISupplyDataFunctions } from 'n8n-workflow';

/** n8n's SDK for AI nodes. n8n has included it since version 2.16. */
export type Sdk = typeof import('@n8n/ai-node-sdk');

/** A content block of a LangChain message, in the standard format or in an older one. */
interface Block {
	type?: unknown;
	image_url?: string | { url?: unknown } | null;
	source_type?: unknown;
	mime_type?: unknown;
	[field: string]: unknown;
}

interface LangChainMessage {
	content?: unknown;
}

type Generate = (messages: LangChainMessage[], ...rest: unknown[]) => unknown;

/** The methods of the SDK's LangChain model that receive messages before the SDK converts them. */
interface LangChainModel {
	_generate?: Generate;
	_streamResponseChunks?: Generate;
	bindTools?: (...given: unknown[]) => object;
}

/** A data URL such as `data:image/png;base64,…` (RFC 2397). */
const DATA_URL = /^data:([^;,]+);base64,/;

/**
 * Loads the SDK only when it is used, because a static import would make the whole package fail on
 * an older n8n.
 *
 * @throws NodeOperationError on an older n8n
 */
export async function loadSdk(context: ISupplyDataFunctions): Promise<Sdk> {
	const sdk = await import('@n8n/ai-node-sdk').catch(() => undefined);
	if (sdk) return sdk;
	throw new NodeOperationError(
		context.getNode(),
		'The Social Open Platform Chat Model needs n8n 2.16 or newer',
		{
			description:
				"This version of n8n does not include the package '@n8n/ai-node-sdk'. Update n8n to use this node. The other nodes of this package work with this version, and the operation Create Completion uses the same models.",
			functionality: 'configuration-node',
		},
	);
}

/**
 * Makes a model of the SDK accept the images and files that n8n's agents pass. Agents use older
 * formats of LangChain. The SDK drops some of these formats, and loses the media type in others.
 */
export function acceptOlderBlocks<T>(model: T): T {
	const adapted = model as LangChainModel;
	for (const name of ['_generate', '_streamResponseChunks'] as const) {
		const generate = adapted[name];
		if (!generate) continue;
		adapted[name] = (messages, ...rest) =>
			generate.call(model, messages.map(withStandardBlocks), ...rest);
	}
	const { bindTools } = adapted;
	if (bindTools) {
		adapted.bindTools = (...given) => acceptOlderBlocks(bindTools.apply(model, given));
	}
	return model;
}

/** A copy of a message with content in the standard format. LangChain keeps the original. */
function withStandardBlocks(message: LangChainMessage): LangChainMessage {
	if (!Array.isArray(message.content)) return message;
	const content = (message.content as Array<Block | null>).map(
		(block) => block && toStandardBlock(block),
	);
	return Object.assign(
		Object.create(Object.getPrototypeOf(message) as object) as LangChainMessage,
		message,
		{ content },
	);
}

function toStandardBlock(block: Block): Block {
	const { type, image_url: image, source_type, mime_type: mimeType } = block;
	const url = typeof image === 'object' ? image?.url : image;
	if (type === 'image_url' && typeof url === 'string') return toImageBlock(url);
	return source_type === undefined ? block : { ...block, mimeType };
}

function toImageBlock(url: string): Block {
	const mimeType = DATA_URL.exec(url)?.[1];
	if (mimeType === undefined) return { type: 'image', url };
	return { type: 'image', mimeType, data: url.slice(url.indexOf(',') + 1) };
}
