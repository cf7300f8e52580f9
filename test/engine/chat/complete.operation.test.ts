import { chat, complete } from '../harness/chats';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const received = () => platform.received('chatCompletions');
const asJson = { outputFormat: 'json_object' };
const sentBody = () => received().at(-1)!.rawBody;

const messagesOf = ({ body }: { body: unknown }) => (body as { messages: unknown }).messages;

describe('Create Completion', () => {
	test('sends every option, byte for byte', async () => {
		const { error } = await platform.run(
			chat(complete, '', {
				messages: {
					message: [
						{ role: 'system', content: 'Be short' },
						{ role: 'assistant', content: 'Hi' },
						{ role: 'user', content: 'Neuer Artikel 发布 😀 "#news"\n' },
					],
				},
				...{ outputFormat: 'json_schema', strictSchema: true },
				jsonSchema: '{"type":"object","properties":{"n":{"const":9007199254740993}}}',
				options: {
					additionalBodyFields: '{"top_p":0.9,"seed":9007199254740993}',
					...{ maxTokens: 500, temperature: 0, timeout: 9, rateLimitWait: 0 },
				},
			}),
		);
		expect(error).toBeUndefined();
		expect(sentBody()).toBe(
			'{"model":"chat-large","messages":[{"role":"system","content":"Be short"},{"role":"assistant","content":"Hi"},{"role":"user","content":"Neuer Artikel 发布 😀 \\"#news\\"\\n"}],"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object","properties":{"n":{"const":"9007199254740993"}}},"strict":true}},"max_tokens":500,"temperature":0,"top_p":0.9,"seed":"9007199254740993"}',
		);
	});

	test('omits options that are not set', async () => {
		await platform.run(chat(complete));
		expect(sentBody()).toBe(
			'{"model":"chat-large","messages":[{"role":"user","content":"Hello"}]}',
		);
		const [request] = received();
		expect(request).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
		expect(request!.headers['content-type']).toBe('application/json');
	});

	test('reads Messages (JSON) for each item, from text or an expression', async () => {
		const messages = [
			{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example' } }] },
		];
		const fromJson = (messagesJson: string) =>
			chat(complete, '', { specifyMessages: 'json', messagesJson });
		await platform.run(fromJson(JSON.stringify(messages)));
		await platform.run(fromJson('={{ $json.messages }}'), { items: [{ messages }] });
		expect(received().map(messagesOf)).toStrictEqual([messages, messages]);
	});

	test('returns the text, finish reason, usage, model and ID', async () => {
		const { outputs } = await platform.run(chat(complete));
		expect(outputs).toStrictEqual([
			[
				{
					json: {
						text: 'You said: Hello',
						finish_reason: 'stop',
						usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 },
						model: 'chat-large',
						id: expect.stringMatching(/^chatcmpl-/),
					},
					pairedItem: { item: 0 },
				},
			],
		]);
	});

	test('sends tools given in Other Fields (JSON), and returns tool calls unchanged', async () => {
		const tool = { type: 'function', function: { name: 'post', parameters: { type: 'object' } } };
		const more = { tools: [tool], tool_choice: 'required' };
		platform.emulator.scriptChat([{ tool_calls: [{ name: 'post', arguments: { text: '发' } }] }]);
		const options = { additionalBodyFields: '={{ $json }}' };
		const parameters = chat(complete, 'Hi', { outputFormat: 'json_object', options });
		const [json] = jsonOf(await platform.run(parameters, { items: [more] }));
		expect(received()[0]!.body).toMatchObject(more);
		const call = { name: 'post', arguments: '{"text":"发"}' };
		expect(json).toMatchObject({
			...{ text: '', finish_reason: 'tool_calls' },
			tool_calls: [{ id: expect.any(String), type: 'function', function: call }],
		});
		expect(json).not.toHaveProperty('json');
	});

	test('returns JSON as text and parsed, with every digit of large numbers', async () => {
		const content = '{"id":9007199254740993,"n":1.5}';
		platform.emulator.scriptChat([{ content }, { content }]);
		const [json] = jsonOf(await platform.run(chat(complete, 'Hi', asJson)));
		expect(received()[0]!.body).toMatchObject({ response_format: { type: 'json_object' } });
		expect(json).toMatchObject({ text: content, json: { id: '9007199254740993', n: 1.5 } });
		const [asText] = jsonOf(await platform.run(chat(complete)));
		expect(asText).not.toHaveProperty('json');
	});

	test.each([
		['\n```\n{"a":1}```\n', { a: 1 }],
		['```json\n\n\n{"a":"```json"}\n\n```\n\n', { a: '```json' }],
	])('parses JSON in a code fence: %j', async (content, parsed) => {
		platform.emulator.scriptChat([{ content }]);
		const [json] = jsonOf(await platform.run(chat(complete, 'Hi', asJson)));
		expect(json).toMatchObject({ text: content, json: parsed });
	});
});
