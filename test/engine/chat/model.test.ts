import { z } from 'zod';
import { chatsAt } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { errorTextOf, modelMethods, runWithModel } from '../harness/modelTask';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
});

const bodies = () => chatsAt(platform).map(({ body }) => body as Record<string, unknown>);
const call = (name: string, args: object) => ({ name, arguments: args });

describe.each(modelMethods)('A chat model called with $method', ({ method, ask }) => {
	test('sends its options and other fields, and omits those that are not set', async () => {
		const options = {
			additionalBodyFields: '{"seed":9007199254740993,"top_p":0.5}',
			...{ maxTokens: 50, temperature: 0, maxRetries: 0, timeout: 9 },
		};
		const say = async (parameters: object) =>
			await runWithModel(platform, async (model) => await ask(model, 'Hi'), { ...parameters });
		await say({ options });
		await say({ model: '={{ "chat-" + 1 }}' });
		const stream = method === 'stream';
		const more = stream ? { stream, stream_options: { include_usage: true } } : { stream };
		const messages = [{ role: 'user', content: 'Hi' }];
		expect(bodies()).toStrictEqual([
			{
				...{ model: 'chat-large', messages, temperature: 0, max_tokens: 50 },
				...{ seed: '9007199254740993', top_p: 0.5, ...more },
			},
			{ model: 'chat-1', messages, ...more },
		]);
	});

	test('sends tools and images, and returns text, tool calls and usage', async () => {
		const [one, two] = [{ text: 'a 发 😀 "x"' }, { n: [1, { deep: true }] }];
		platform.emulator.scriptChat([
			{ content: 'Let me see.', tool_calls: [call('first', one), call('second', two)] },
		]);
		const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
		const schema = z.object({ word: z.string() });
		const { value, error } = await runWithModel(platform, async (model) => {
			const tools = [{ name: 'look', description: 'Looks up', schema }];
			return await ask(model.bindTools(tools), [{ role: 'user', content: [image] }]);
		});
		expect(error).toBeUndefined();
		expect(value!.text).toBe('Let me see.');
		expect(value!.tool_calls!.map(({ name, args }) => ({ name, args }))).toStrictEqual([
			{ name: 'first', args: one },
			{ name: 'second', args: two },
		]);
		expect(value!.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) });
		expect(bodies()).toMatchObject([
			{
				messages: [{ role: 'user', content: [image] }],
				tools: [{ function: { name: 'look', parameters: { required: ['word'] } } }],
			},
		]);
	});
});

describe('A chat model with invalid settings', () => {
	const say = async (parameters: object) =>
		await runWithModel(platform, async (model) => await model.invoke('Hi'), { ...parameters });
	afterEach(() => {
		expect(chatsAt(platform)).toStrictEqual([]);
	});

	test('reports every field by its label before sending', async () => {
		const options = { temperature: 3, maxTokens: 0, maxRetries: -1, timeout: 0 };
		const outcome = await say({ model: '={{ $json.none }}', options });
		const timeout = 'Timeout (Seconds)';
		for (const label of ['Model', 'Temperature', 'Max Tokens', 'Max Retries', timeout]) {
			expect(errorTextOf(outcome)).toContain(`'${label}' `);
		}
	});

	test('refuses other fields that the model sets itself, and several answers', async () => {
		const options = { additionalBodyFields: '{"messages":[],"n":2,"stream":true}' };
		const text = errorTextOf(await say({ options }));
		expect(text).toMatch(
			/'Other Fields \(JSON\)' contains 'messages'.*contains 'n'.*contains 'stream'/,
		);
	});

	test.each([
		[{ baseUrl: 'http://api.example.com' }, "'Base URL' starts with http://"],
		[{ appSecret: '密钥密钥密钥' }, "'App Secret' contains characters that are not allowed"],
	])('reports an unusable credential: %j', async (credential, issue) => {
		Object.assign(platform.credential, credential);
		expect(errorTextOf(await say({}))).toContain(`Nothing was sent for the chat request. ${issue}`);
	});
});
