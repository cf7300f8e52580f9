import type { Message, MessageContent, Tool } from '@n8n/ai-node-sdk';
import { z } from 'zod/v4';
import type { WireMessage } from '../protocol/chat';
import type { Sdk } from './supply';

type File = Extract<MessageContent, { type: 'file' }>;

const textOf = (content: MessageContent[]) =>
	content.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** An address, or the bytes in base64 as an address of their own (RFC 2397). */
function addressOf({ data, mediaType, providerMetadata }: File): string {
	const { url } = providerMetadata ?? {};
	if (typeof url === 'string') return url;
	const base64 = typeof data === 'string' ? data : Buffer.from(data ?? '').toString('base64');
	if (/^(data|https?):/.test(base64)) return base64;
	return `data:${mediaType ?? 'application/octet-stream'};base64,${base64}`;
}

function filePart(file: File): object {
	const url = addressOf(file);
	// Only an image can be given by its address.
	const isImage = /^image\//.test(file.mediaType ?? '') || /^(data:image\/|https?:)/.test(url);
	if (isImage) return { type: 'image_url', image_url: { url } };
	const { filename } = file.providerMetadata ?? {};
	return { type: 'file', file: { filename, file_data: url } };
}

/** Text alone stays text; with files it becomes parts. */
function userContent(content: MessageContent[]): unknown {
	if (!content.some(({ type }) => type === 'file')) return textOf(content);
	return content.flatMap((part): object[] => {
		if (part.type === 'text') return [{ type: 'text', text: part.text }];
		return part.type === 'file' ? [filePart(part)] : [];
	});
}

function assistantMessage(content: MessageContent[]): WireMessage {
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

/** The results of tools stand each in a message of its own. */
function toolMessages(content: MessageContent[]): WireMessage[] {
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

/** n8n's messages as `POST /v1/chat/completions` takes them. */
export function toWire(messages: Message[]): WireMessage[] {
	return messages.flatMap(({ role, content }) => {
		if (role === 'tool') return toolMessages(content);
		if (role === 'assistant') return [assistantMessage(content)];
		return [{ role, content: role === 'system' ? textOf(content) : userContent(content) }];
	});
}

type FunctionTool = Extract<Tool, { type: 'function' }>;

const NO_PARAMETERS = { type: 'object', properties: {} };

/** The SDK knows the schemas of zod 3; those of zod 4 would go out as zod has them in memory. */
function parametersOf(tool: FunctionTool, sdk: Sdk): unknown {
	const schema = tool.inputSchema as unknown;
	if (typeof schema === 'object' && schema !== null && '_zod' in schema) {
		return z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' });
	}
	return (schema ? sdk.getParametersJsonSchema(tool) : undefined) ?? NO_PARAMETERS;
}

/** The tools that a model may call, as `POST /v1/chat/completions` takes them; none leaves the field out. */
export function toolsToWire(tools: Tool[], sdk: Sdk): object[] | undefined {
	if (tools.length === 0) return undefined;
	return tools.map((tool) => {
		if (tool.type === 'provider') return { type: tool.name, ...tool.args };
		const { name, description, strict } = tool;
		const parameters = parametersOf(tool, sdk);
		return { type: 'function', function: { name, description, parameters, strict } };
	});
}
