import { z } from 'zod/v4';
import { z as z3 } from 'zod';
import { chatsAt } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { modelMethods, runWithModel } from '../harness/modelTask';

const platform = usePlatform();

const ofZod3 = z3.object({ word: z3.string().describe('The word'), times: z3.number().optional() });
const ofZod4 = z.object({ word: z.string().describe('The word'), times: z.number().optional() });

describe.each(modelMethods)('A chat model called with $method', ({ ask }) => {
	const parametersOf = async (...tools: object[]) => {
		const { error } = await runWithModel(
			platform,
			async (model) => await ask(model.bindTools(tools), 'Hi'),
		);
		expect(error).toBeUndefined();
		const body = chatsAt(platform)[0]!.body as {
			tools: Array<{ function: { parameters: Record<string, unknown> } }>;
		};
		return body.tools.map((tool) => tool.function.parameters);
	};

	test.each([
		['3', ofZod3],
		['4', ofZod4],
	])('sends tools with a zod %s schema as JSON Schema', async (_, schema) => {
		const [parameters] = await parametersOf({ name: 'look', description: 'Looks', schema });
		expect(parameters).toMatchObject({
			...{ type: 'object', required: ['word'] },
			properties: { word: { type: 'string', description: 'The word' }, times: { type: 'number' } },
		});
		for (const inMemory of ['_zod', 'def', '_def', '~standard', 'shape']) {
			expect(parameters).not.toHaveProperty([inMemory]);
		}
	});

	test('allows any value where JSON Schema cannot express the zod schema', async () => {
		const schema = z.object({ at: z.date(), text: z.string().transform(Number) });
		const [parameters] = await parametersOf({ name: 'look', description: 'Looks', schema });
		expect(parameters).toMatchObject({ properties: { at: {}, text: { type: 'string' } } });
	});

	test('sends a tool without a schema as a tool without parameters', async () => {
		const none = { type: 'object', properties: {} };
		const bare = { name: 'bare', description: 'Needs nothing' };
		const tools = [
			{ type: 'function', function: bare },
			{ type: 'function', function: { ...bare, parameters: null } },
		];
		expect(await parametersOf(...tools)).toStrictEqual([none, none]);
	});
});
