import { chat, complete } from '../harness/chats';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const received = () => platform.received('chatCompletions');
const sentBody = () => received().at(-1)!.rawBody;

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
				...{ outputFormat: 'json_schema', schemaName: 'my-answer_1', strictSchema: true },
				jsonSchema: '{"type":"object","properties":{"n":{"const":9007199254740993}}}',
				options: {
					additionalBodyFields: '{"top_p":0.9,"seed":9007199254740993}',
					...{ maxTokens: 500, temperature: 0, timeout: 9, rateLimitWait: 0 },
				},
			}),
		);
		expect(error).toBeUndefined();
		expect(sentBody()).toBe(
			'{"model":"chat-large","messages":[{"role":"system","content":"Be short"},{"role":"assistant","content":"Hi"},{"role":"user","content":"Neuer Artikel 发布 😀 \\"#news\\"\\n"}],"response_format":{"type":"json_schema","json_schema":{"name":"my-answer_1","schema":{"type":"object","properties":{"n":{"const":"9007199254740993"}}},"strict":true}},"temperature":0,"max_tokens":500,"top_p":0.9,"seed":"9007199254740993"}',
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
		const asJson = (messagesJson: string) =>
			chat(complete, '', { specifyMessages: 'json', messagesJson });
		await platform.run(asJson(JSON.stringify(messages)));
		await platform.run(asJson('={{ $json.messages }}'), { items: [{ messages }] });
		await platform.run(asJson('={{ JSON.stringify($json.messages) }}'), { items: [{ messages }] });
		expect(received().map(({ body }) => (body as { messages: unknown }).messages)).toStrictEqual(
			Array(3).fill(messages),
		);
	});

	test('reads roles and contents from expressions for each item', async () => {
		const messages = { message: [{ role: '={{ $json.role }}', content: '={{ $json.n }}' }] };
		const items = [
			{ role: 'user', n: 1 },
			{ role: 'developer', n: 2 },
		];
		await platform.run(chat(complete, '', { messages }), { items });
		expect(received().map(({ body }) => (body as { messages: unknown }).messages)).toStrictEqual([
			[{ role: 'user', content: '1' }],
			[{ role: 'developer', content: '2' }],
		]);
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

	test('returns tool calls unchanged as a complete reply', async () => {
		platform.emulator.scriptChat([{ tool_calls: [{ name: 'post', arguments: { text: '发' } }] }]);
		const [json] = jsonOf(await platform.run(chat(complete)));
		const call = { name: 'post', arguments: '{"text":"发"}' };
		expect(json).toMatchObject({
			...{ text: '', finish_reason: 'tool_calls' },
			tool_calls: [{ id: expect.any(String), type: 'function', function: call }],
		});
	});

	test('sends tools given in Other Fields (JSON)', async () => {
		const tool = { type: 'function', function: { name: 'post', parameters: { type: 'object' } } };
		const more = { tools: [tool], tool_choice: 'required' };
		const options = { additionalBodyFields: '={{ $json }}' };
		const [json] = jsonOf(await platform.run(chat(complete, 'Hi', { options }), { items: [more] }));
		expect(received()[0]!.body).toMatchObject(more);
		expect(json).toMatchObject({ finish_reason: 'tool_calls' });
	});
});

describe('Create Completion with JSON output', () => {
	const asJson = (more = {}) => chat(complete, 'Hello', { outputFormat: 'json_object', ...more });
	const jsonSchema = '{"type":"object","required":["caption"]}';

	test('requests JSON, and returns it as text and parsed', async () => {
		const [json] = jsonOf(await platform.run(asJson()));
		expect(received()[0]!.body).toMatchObject({ response_format: { type: 'json_object' } });
		expect(json).toMatchObject({
			text: '{"answer":"You said: Hello"}',
			json: { answer: 'You said: Hello' },
		});
	});

	test('keeps every digit of large numbers', async () => {
		platform.emulator.scriptChat([{ content: '{"id":9007199254740993,"n":1.5}' }]);
		const [json] = jsonOf(await platform.run(asJson()));
		expect(json!.json).toStrictEqual({ id: '9007199254740993', n: 1.5 });
	});

	test.each([
		['```json\n{"a":1}\n```', { a: 1 }],
		['\n```\n{"a":1}```\n', { a: 1 }],
		[' {"a":"```"} ', { a: '```' }],
		['```JSON\n{"a":1}\n```', { a: 1 }],
		['```json\n\n\n{"a":"```json"}\n\n```\n\n', { a: '```json' }],
	])('parses JSON in a code fence: %j', async (content, parsed) => {
		platform.emulator.scriptChat([{ content }]);
		const [json] = jsonOf(await platform.run(asJson()));
		expect(json).toMatchObject({ text: content, json: parsed });
	});

	test('refuses JSON that is nested too deeply', async () => {
		const content = '['.repeat(1e5) + ']'.repeat(1e5);
		platform.emulator.scriptChat([{ content }]);
		const { error } = await platform.run(asJson());
		expect(error).toMatchObject({ message: 'The answer is not the requested JSON' });
	});

	test.each(['{"text":5}', '```json\n{"text":5}\n```'])(
		'reports an answer that does not match the schema: %j',
		async (content) => {
			platform.emulator.scriptChat([{ content }]);
			const more = { outputFormat: 'json_schema', jsonSchema };
			const { error } = await platform.run(asJson(more));
			expect(error).toMatchObject({
				message: "The answer does not match the JSON Schema: it has no field 'caption'",
				context: { data: { outcome: 'incomplete', json: { text: 5 } } },
			});
		},
	);

	test('returns reasoning apart from the answer', async () => {
		platform.emulator.scriptChat([{ content: '<think>{"b":2}</think>\n{"a":1}' }]);
		const [json] = jsonOf(await platform.run(asJson()));
		expect(json).toMatchObject({ text: '{"a":1}', reasoning: '{"b":2}', json: { a: 1 } });
	});

	test('does not parse a reply when text was requested', async () => {
		platform.emulator.scriptChat([{ content: '{"a":1}' }]);
		const [json] = jsonOf(await platform.run(chat(complete)));
		expect(json!.text).toBe('{"a":1}');
		expect(json).not.toHaveProperty('json');
	});

	test('accepts tool calls instead of JSON', async () => {
		platform.emulator.scriptChat([{ tool_calls: [{ name: 'post', arguments: {} }] }]);
		const [json] = jsonOf(await platform.run(asJson()));
		expect(json).toMatchObject({ finish_reason: 'tool_calls' });
		expect(json).not.toHaveProperty('json');
	});
});
