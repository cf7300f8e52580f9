import { chat, respond } from '../harness/chats';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const received = () => platform.received('responses');
const sentBody = () => received().at(-1)!.rawBody;

describe('Create Response', () => {
	test('sends every option, byte for byte', async () => {
		const { error } = await platform.run(
			chat(respond, 'Neuer Artikel 发布 😀 "#news"\n', {
				instructions: '={{ "Be " + "short" }}',
				...{ outputFormat: 'json_schema', strictSchema: true },
				jsonSchema: '{"type":"object","properties":{"n":{"const":9007199254740993}}}',
				options: {
					additionalBodyFields: '{"top_p":0.9,"store":false}',
					...{ maxTokens: 500, temperature: 2, timeout: 9, rateLimitWait: 0 },
				},
			}),
		);
		expect(error).toBeUndefined();
		expect(sentBody()).toBe(
			'{"model":"chat-large","instructions":"Be short","input":"Neuer Artikel 发布 😀 \\"#news\\"\\n","text":{"format":{"type":"json_schema","name":"answer","schema":{"type":"object","properties":{"n":{"const":"9007199254740993"}}},"strict":true}},"max_output_tokens":500,"temperature":2,"top_p":0.9,"store":false}',
		);
	});

	test('sends the list of an expression unchanged', async () => {
		await platform.run(chat(respond, '={{ [{ role: "user", content: $json.text }] }}'), {
			items: [{ text: 'Hi' }],
		});
		expect(sentBody()).toBe('{"model":"chat-large","input":[{"role":"user","content":"Hi"}]}');
	});

	test('omits options that are not set', async () => {
		await platform.run(chat(respond));
		expect(sentBody()).toBe('{"model":"chat-large","input":"Hello"}');
		expect(received()[0]).toMatchObject({ method: 'POST', path: '/v1/responses' });
	});

	test('returns the text, finish reason, usage, model and ID', async () => {
		const { outputs } = await platform.run(chat(respond));
		expect(outputs).toStrictEqual([
			[
				{
					json: {
						text: 'You said: Hello',
						finish_reason: 'stop',
						usage: {
							...{ input_tokens: 1, input_tokens_details: { cached_tokens: 0 } },
							...{ output_tokens: 3, output_tokens_details: { reasoning_tokens: 0 } },
							total_tokens: 4,
						},
						model: 'chat-large',
						id: expect.stringMatching(/^resp_/),
					},
					pairedItem: { item: 0 },
				},
			],
		]);
	});

	test('requests JSON, also without a schema, and returns it parsed', async () => {
		const jsonSchema = '{"type":"object","properties":{"caption":{"type":"string"}}}';
		const bySchema = { outputFormat: 'json_schema', jsonSchema };
		const results = [{ outputFormat: 'json_object' }, bySchema].map(
			async (more) => jsonOf(await platform.run(chat(respond, 'Hello', more)))[0],
		);
		expect(await Promise.all(results)).toMatchObject([
			{ json: { answer: 'You said: Hello' } },
			{ json: { caption: 'You said: Hello' } },
		]);
		const schema = JSON.parse(jsonSchema) as object;
		expect(received().map(({ body }) => body)).toMatchObject([
			{ text: { format: { type: 'json_object' } } },
			{ text: { format: { type: 'json_schema', name: 'answer', schema, strict: false } } },
		]);
	});
});
