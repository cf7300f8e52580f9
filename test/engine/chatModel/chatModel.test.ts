import { z } from 'zod';
import { chatsAt } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { joined, modelMethods, piecesOf, runWithModel } from '../harness/modelTask';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
});

const bodies = () => chatsAt(platform).map(({ body }) => body as Record<string, unknown>);
const call = (name: string, args: object) => ({ name, arguments: args });

describe.each(modelMethods)('A chat model called with $method', ({ method, ask }) => {
	const streams = method === 'stream';

	test("sends every kind of message in the platform's format", async () => {
		const { error } = await runWithModel(platform, async (model) => {
			await ask(model, [
				['system', 'Be short'],
				['human', 'What is 发 😀?'],
				{
					...{ role: 'assistant', content: 'I look it up' },
					tool_calls: [
						{ id: 'a', name: 'look', args: { word: '发' } },
						{ id: 'b', name: 'look', args: {} },
					],
				},
				{ role: 'tool', content: 'to send', tool_call_id: 'a' },
				{ role: 'tool', content: [{ type: 'text', text: 'nothing' }], tool_call_id: 'b' },
				['ai', 'To send'],
				['human', 'And?'],
			]);
		});
		expect(error).toBeUndefined();
		const called = (id: string, args: string) => ({
			...{ id, type: 'function', function: { name: 'look', arguments: args } },
		});
		expect(bodies()[0]!.messages).toStrictEqual([
			{ role: 'system', content: 'Be short' },
			{ role: 'user', content: 'What is 发 😀?' },
			{
				...{ role: 'assistant', content: 'I look it up' },
				tool_calls: [called('a', '{"word":"发"}'), called('b', '{}')],
			},
			{ role: 'tool', tool_call_id: 'a', content: 'to send' },
			{ role: 'tool', tool_call_id: 'b', content: 'nothing' },
			{ role: 'assistant', content: 'To send' },
			{ role: 'user', content: 'And?' },
		]);
	});

	test('sends images and files as parts', async () => {
		await runWithModel(platform, async (model) => {
			const content = [
				{ type: 'text', text: 'What is this?' },
				{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
				{ type: 'image', mimeType: 'image/jpeg', url: 'https://cdn.example/a.jpg' },
				{ type: 'file', mimeType: 'application/pdf', data: 'JVBERi0=' },
			];
			await ask(model, [{ role: 'user', content }]);
		});
		expect(bodies()[0]!.messages).toStrictEqual([
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'What is this?' },
					{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
					{ type: 'image_url', image_url: { url: 'https://cdn.example/a.jpg' } },
					{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } },
				],
			},
		]);
	});

	test('sends its options and other fields, and omits those that are not set', async () => {
		const options = {
			additionalBodyFields: '{"seed":9007199254740993,"tool_choice":"none"}',
			...{ maxTokens: 50, temperature: 0, maxRetries: 0, timeout: 9, rateLimitWait: 0 },
		};
		const say = async (parameters: object) =>
			await runWithModel(platform, async (model) => await ask(model, 'Hi'), { ...parameters });
		await say({ options });
		await say({ model: '={{ "chat-" + 1 }}' });
		const stream = streams ? { stream: true, stream_options: { include_usage: true } } : {};
		const messages = [{ role: 'user', content: 'Hi' }];
		expect(bodies()).toStrictEqual([
			{
				...{ model: 'chat-large', messages, temperature: 0, max_tokens: 50 },
				...{ seed: '9007199254740993', tool_choice: 'none', ...stream },
			},
			{ model: 'chat-1', messages, ...stream },
		]);
	});

	test('sends stop sequences', async () => {
		await runWithModel(platform, async (model) => await ask(model, 'Hi', { stop: ['\n'] }));
		expect(bodies()[0]).toMatchObject({ stop: ['\n'] });
	});

	test('sends tools with their JSON Schema', async () => {
		const schema = z.object({ word: z.string().describe('The word'), times: z.number().int() });
		const plain = { type: 'object', properties: { a: { type: 'string' } } };
		await runWithModel(platform, async (model) => {
			const tools = [
				{ name: 'look', description: 'Looks up', schema },
				{ type: 'function', function: { name: 'plain', description: 'Plain', parameters: plain } },
			];
			await ask(model.bindTools(tools), 'Hi');
			await ask(model, 'Without');
		});
		expect(bodies()[0]!.tools).toMatchObject([
			{
				type: 'function',
				function: {
					...{ name: 'look', description: 'Looks up' },
					parameters: {
						...{ type: 'object', required: ['word', 'times'] },
						properties: {
							word: { type: 'string', description: 'The word' },
							times: { type: 'integer' },
						},
					},
				},
			},
			{ type: 'function', function: { name: 'plain', description: 'Plain', parameters: plain } },
		]);
		expect(bodies()[1]).not.toHaveProperty('tools');
	});

	test('returns the reply and its usage', async () => {
		const { value } = await runWithModel(
			platform,
			async (model) => await ask(model, 'Hello 发布 😀'),
		);
		expect(value!.text).toBe('You said: Hello 发布 😀');
		expect(value!.usage_metadata).toMatchObject({ input_tokens: 4, output_tokens: 6 });
		expect(value!.usage_metadata).toMatchObject({ total_tokens: 10 });
	});

	test('returns several tool calls and text', async () => {
		const [one, two, three] = [{ text: 'a 发 😀 "x"' }, { n: [1, { deep: true }] }, {}];
		platform.emulator.scriptChat([
			{
				content: 'Let me see.',
				tool_calls: [call('first', one), call('second', two), call('second', three)],
			},
		]);
		const { value, error } = await runWithModel(platform, async (model) => await ask(model, 'Hi'));
		expect(error).toBeUndefined();
		expect(value!.text).toBe('Let me see.');
		expect(value!.tool_calls!.map(({ name, args }) => ({ name, args }))).toStrictEqual([
			...[{ name: 'first', args: one }],
			...[{ name: 'second', args: two }],
			...[{ name: 'second', args: three }],
		]);
		expect(new Set(value!.tool_calls!.map(({ id }) => id)).size).toBe(3);
	});

	test('sends its earlier reply and the tool results', async () => {
		platform.emulator.scriptChat([
			{ tool_calls: [call('look', { word: 'a' }), call('look', { word: 'b' })] },
		]);
		const { value } = await runWithModel(platform, async (model) => {
			const human = { role: 'user', content: 'Hi' };
			const first = await ask(model, [human]);
			const results = first.tool_calls!.map(({ id, args }) => ({
				...{ role: 'tool', tool_call_id: id, content: `${args.word as string} is a letter` },
			}));
			return await ask(model, [human, first, ...results]);
		});
		expect(value!.text).toBe('The tool said: b is a letter');
		expect(bodies()[1]!.messages).toMatchObject([
			{ role: 'user' },
			{
				...{ role: 'assistant', content: null },
				tool_calls: [
					{ function: { name: 'look', arguments: '{"word":"a"}' } },
					{ function: { name: 'look', arguments: '{"word":"b"}' } },
				],
			},
			{ role: 'tool', content: 'a is a letter' },
			{ role: 'tool', content: 'b is a letter' },
		]);
	});

	test('records prompt, reply and usage in the execution', async () => {
		const { run } = await runWithModel(platform, async (model) => await ask(model, 'Hello'));
		const [task] = run.data.resultData.runData.Model!;
		const told = JSON.stringify([task!.inputOverride, task!.data]);
		expect(told).toContain('Human: Hello');
		expect(told).toContain('You said: Hello');
		if (!streams) expect(told).toContain('"tokenUsage":{"completionTokens":3,"promptTokens":1');
	});
});

describe('The pieces of a streamed reply', () => {
	const content = 'One two 三 four 😀 five\n\n  six';

	test('arrive as the platform sends them, however the network splits them', async () => {
		platform.emulator.scriptChat([{ content }]);
		const { value } = await runWithModel(platform, async (model) => await piecesOf(model, 'Hi'));
		const texts = value!.map(({ text }) => text).filter(Boolean);
		expect(texts).toStrictEqual(['One', ' two', ' 三', ' four', ' 😀', ' five', '\n\n  six']);
	});

	test('arrive before the reply ends', async () => {
		platform.emulator.scriptChat([{ content }]);
		platform.emulator.fault({ kind: 'stream-cut', afterFrames: 4 });
		const came: string[] = [];
		const { error } = await runWithModel(platform, async (model) => {
			for await (const { text } of await model.stream('Hi')) came.push(text);
		});
		expect(came.join('')).toBe('One two 三');
		expect(error!.message).toContain('the answer was cut off in the middle');
	});

	test('end with a piece that contains the finish reason', async () => {
		const { value } = await runWithModel(platform, async (model) => await piecesOf(model, 'Hi'));
		expect(value!.at(-1)!.response_metadata).toMatchObject({ finish_reason: 'stop' });
		expect(joined(value!).text).toBe('You said: Hi');
	});
});
