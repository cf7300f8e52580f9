import type { Tool } from '@n8n/ai-node-sdk';
import { z } from 'zod/v4';
import type { Sdk } from './sdk';

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
export function toolsOnTheWire(tools: Tool[], sdk: Sdk): object[] | undefined {
	if (tools.length === 0) return undefined;
	return tools.map((tool) => {
		if (tool.type === 'provider') return { type: tool.name, ...tool.args };
		const { name, description, strict } = tool;
		const parameters = parametersOf(tool, sdk);
		return { type: 'function', function: { name, description, parameters, strict } };
	});
}
