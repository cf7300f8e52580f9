import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import type { TestClient } from './test-client';

const COMPLETIONS = '/v1/chat/completions';
const RESPONSES = '/v1/responses';

const user = { role: 'user', content: 'hello there' };
const calling = {
	role: 'assistant',
	content: null,
	tool_calls: [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }],
};
const result = { role: 'tool', tool_call_id: 'c1', content: 'done' };
const itemOfCall = { type: 'function_call', call_id: 'c1', name: 'a' };
const itemOfResult = { type: 'function_call_output', call_id: 'c1', output: 'done' };

const schema = {
	type: 'object',
	properties: {
		caption: { type: 'string' },
		tags: { type: 'array', items: { type: 'string' } },
		tone: { enum: ['warm', 'dry'] },
		score: { type: 'integer', minimum: 3 },
		optional: { type: 'string' },
	},
	required: ['caption', 'tags', 'tone', 'score'],
};

describe('Chat operations', () => {
	let emulator: Emulator;
	let client: TestClient;

	emulatorAroundTests((...started) => ([emulator, client] = started));

	it.each([
		[COMPLETIONS, { messages: [user] }],
		[RESPONSES, { input: 'hello there' }],
	])('require the App Secret as a bearer token: %s', async (path, body) => {
		expect((await client.chat(path, body)).status).toBe(200);
		for (const secret of [`Bearer ${await client.token()}`, emulator.appSecret, '']) {
			expect(await client.chat(path, body, { authorization: secret })).toMatchObject({
				status: 401,
				json: { error: { type: 'authentication_error', code: 'invalid_api_key' } },
			});
		}
	});

	it.each([
		[COMPLETIONS, { messages: [] }],
		[COMPLETIONS, { model: 7, messages: [user] }],
		[COMPLETIONS, { messages: [{ role: 'robot', content: 'x' }] }],
		[COMPLETIONS, { messages: [{ role: 'user' }] }],
		[COMPLETIONS, { messages: [user, calling] }],
		[COMPLETIONS, { messages: [user, calling, user, result] }],
		[COMPLETIONS, { messages: [user, result] }],
		[COMPLETIONS, { messages: [user], temperature: 2.1 }],
		[COMPLETIONS, { messages: [user], max_tokens: '5' }],
		[COMPLETIONS, { messages: [user], tools: [{ type: 'function', function: { name: 'a b' } }] }],
		[COMPLETIONS, { messages: [user], stream_options: { include_usage: true } }],
		[COMPLETIONS, { messages: [user], response_format: { type: 'json_schema' } }],
		[RESPONSES, {}],
		[RESPONSES, { input: 'x', max_output_tokens: 0 }],
		[RESPONSES, { input: 'x', text: { format: { type: 'json_schema', schema: {} } } }],
		[RESPONSES, { input: [itemOfResult] }],
		[RESPONSES, { input: [itemOfCall] }],
	])('refuse requests to %s with HTTP 400: %j', async (path, body) => {
		const { status, json } = await client.chat(path, body);
		expect(status).toBe(400);
		const message = expect.any(String);
		expect(json).toStrictEqual({
			error: { message, type: 'invalid_request_error', param: null, code: null },
		});
	});

	it('continue after the results of tool calls', async () => {
		const chat = await client.chat(COMPLETIONS, { messages: [user, calling, result] });
		expect(chat.json.choices[0].message.content).toBe('The tool said: done');
		for (const body of [
			{ input: [itemOfCall, itemOfResult] },
			{ input: [itemOfResult], previous_response_id: 'r' },
		]) {
			const { json } = await client.chat(RESPONSES, body);
			expect(json.output[0].content[0].text).toBe('The tool said: done');
		}
	});

	it('return JSON that matches a requested schema', async () => {
		const text = 'You said: hello there';
		const fitting = { caption: text, tags: [text], tone: 'warm', score: 3 };
		const response_format = { type: 'json_schema', json_schema: { name: 'post', schema } };
		const chat = await client.chat(COMPLETIONS, { messages: [user], response_format });
		expect(JSON.parse(chat.json.choices[0].message.content)).toEqual(fitting);
		const format = { type: 'json_schema', name: 'post', schema };
		const response = await client.chat(RESPONSES, { input: 'hello there', text: { format } });
		expect(JSON.parse(response.json.output[0].content[0].text)).toEqual(fitting);
	});
});
