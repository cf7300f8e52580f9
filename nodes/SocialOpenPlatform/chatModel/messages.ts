import type { Message, MessageContent, Tool } from '@n8n/ai-node-sdk';
import { z } from 'zod/v4';
import type { Sdk } from './sdk';

type File = Extract<MessageContent, { type: 'file' }>;
type FunctionTool = Extract<Tool, { type: 'function' }>;

/** A message of `POST /v1/chat/completions`. Other fields depend on the role. */
interface RequestMessage {
	role: string;
	content: unknown;
	[field: string]: unknown;
}

const NO_PARAMETERS = { type: 'object', properties: {} };

export function toRequestMessages(messages: Message[]): RequestMessage[] {
	return messages.flatMap(({ role, content }) => {
		if (role === 'tool') return toolMessages(content);
		if (role === 'assistant') return [assistantMessage(content)];
		return [{ role, content: role === 'system' ? textOf(content) : userContent(content) }];
	});
}

/**
 * Converts n8n's tools for `POST /v1/chat/completions`. If there are no tools, the request has no
 * field for them.
 */
export function toRequestTools(tools: Tool[], sdk: Sdk): object[] | undefined {
	if (tools.length === 0) return undefined;
	return tools.map((tool) => {
		if (tool.type === 'provider') return { type: tool.name, ...tool.args };
		const { name, description, strict } = tool;
		const parameters = parametersOf(tool, sdk);
		return { type: 'function', function: { name, description, parameters, strict } };
	});
}

/** Creates a message for each result of a tool. */
function toolMessages(content: MessageContent[]): RequestMessage[] {
	return content.flatMap((part) =>
		part.type === 'tool-result'
			? { role: 'tool', tool_call_id: part.toolCallId, content: resultText(part.result) }
			: [],
	);
}

function resultText(result: unknown): string {
	if (typeof result === 'string') return result;
	const parts = Array.isArray(result) ? (result as Array<Partial<MessageContent> | null>) : [];
	const isText = parts.length > 0 && parts.every((part) => part?.type === 'text');
	return isText ? textOf(parts as MessageContent[]) : JSON.stringify(result);
}

function assistantMessage(content: MessageContent[]): RequestMessage {
	const calls = content.flatMap((part) =>
		part.type === 'tool-call'
			? {
					id: part.toolCallId,
					type: 'function',
					function: { name: part.toolName, arguments: part.input },
				}
			: [],
	);
	const text = textOf(content);
	if (calls.length === 0) return { role: 'assistant', content: text };
	return { role: 'assistant', content: text || null, tool_calls: calls };
}

/**
 * Converts the content of a message.
 *
 * @returns text, or a list of parts if the message has files
 */
function userContent(content: MessageContent[]): unknown {
	if (!content.some(({ type }) => type === 'file')) return textOf(content);
	return content.flatMap((part): object[] => {
		if (part.type === 'text') return [{ type: 'text', text: part.text }];
		return part.type === 'file' ? [filePart(part)] : [];
	});
}

function filePart(file: File): object {
	const url = urlOf(file);
	// The interface accepts web addresses only for images.
	const isImage = /^image\//.test(file.mediaType ?? '') || /^(data:image\/|https?:)/.test(url);
	if (isImage) return { type: 'image_url', image_url: { url } };
	const { filename } = file.providerMetadata ?? {};
	return { type: 'file', file: { filename, file_data: url } };
}

/** The web address of a file, or a data URL with its bytes (RFC 2397). */
function urlOf({ data, mediaType, providerMetadata }: File): string {
	const { url } = providerMetadata ?? {};
	if (typeof url === 'string') return url;
	const base64 = typeof data === 'string' ? data : Buffer.from(data ?? '').toString('base64');
	if (/^(data|https?):/.test(base64)) return base64;
	return `data:${mediaType ?? 'application/octet-stream'};base64,${base64}`;
}

function textOf(content: MessageContent[]): string {
	return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/**
 * n8n's SDK converts only the schemas of zod 3. It would send a zod 4 schema in zod's internal
 * format.
 */
function parametersOf(tool: FunctionTool, sdk: Sdk): unknown {
	const schema = tool.inputSchema as unknown;
	if (typeof schema === 'object' && schema !== null && '_zod' in schema) {
		return z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' });
	}
	return (schema ? sdk.getParametersJsonSchema(tool) : undefined) ?? NO_PARAMETERS;
}
