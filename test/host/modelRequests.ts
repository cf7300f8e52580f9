import type { Item } from './postFlow';
import type { Setup } from '../n8n/setup';

/** A request to a model. */
interface ModelRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{ function: { name: string; description: string; parameters: Item } }>;
}

/** The requests to models, in order of arrival. */
export const modelRequests = ({ emulator }: Setup): ModelRequest[] =>
	emulator.received
		.filter(({ operation }) => operation === 'chatCompletions')
		.map(({ body }) => body as ModelRequest);

/** The results of the model's tool calls, in the order of the calls. */
export const toolResults = (setup: Setup): string[] =>
	(modelRequests(setup).at(-1)?.messages ?? [])
		.filter(({ role }) => role === 'tool')
		.map(({ content }) => String(content));

/** The results as items, if they are the output of a node. */
export const resultItems = (setup: Setup): Item[] =>
	toolResults(setup).map((text) => ([JSON.parse(text)] as Item[]).flat()[0]!);
