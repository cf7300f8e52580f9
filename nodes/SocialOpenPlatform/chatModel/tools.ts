import type { Tool } from '@n8n/ai-node-sdk';
import type { Sdk } from './sdk';

/** The tools that a model may call, as `POST /v1/chat/completions` takes them; none leaves the field out. */
export function toolsOnTheWire(tools: Tool[], sdk: Sdk): object[] | undefined {
	if (tools.length === 0) return undefined;
	return tools.map((tool) => {
		if (tool.type === 'provider') return { type: tool.name, ...tool.args };
		const { name, description, strict } = tool;
		const parameters = sdk.getParametersJsonSchema(tool) as unknown;
		return { type: 'function', function: { name, description, parameters, strict } };
	});
}
