import { useEmulator } from './test-client';

const COMPLETIONS = '/v1/chat/completions';
const RESPONSES = '/v1/responses';

const user = { role: 'user', content: 'hello there' };
const calling = { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }] };
const result = { role: 'tool', tool_call_id: 'c1', content: 'done' };
const itemOfCall = { type: 'function_call', call_id: 'c1', name: 'a' };
const itemOfResult = { type: 'function_call_output', call_id: 'c1', output: 'done' };

describe('Chat operations of the emulator', () => {
	const platform = useEmulator();

	it.each([
		[COMPLETIONS, { messages: [user] }],
		[RESPONSES, { input: 'hello there' }],
	])('require the App Secret as a bearer token: %s', async (path, body) => {
		const { client, emulator } = platform;
		expect((await client.chat(path, body)).status).toBe(200);
		for (const secret of [`Bearer ${await client.token()}`, emulator.appSecret, '']) {
			expect(await client.chat(path, body, secret)).toMatchObject({
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
		[COMPLETIONS, { messages: [user, calling, user, result] }],
		[COMPLETIONS, { messages: [user, result] }],
		[COMPLETIONS, { messages: [user], stream_options: { include_usage: true } }],
		[RESPONSES, {}],
		[RESPONSES, { input: 'x', max_output_tokens: 0 }],
		[RESPONSES, { input: [itemOfCall] }],
	])('refuse requests to %s with HTTP 400: %j', async (path, body) => {
		const { status, json } = await platform.client.chat(path, body);
		expect([status, json.error.type]).toEqual([400, 'invalid_request_error']);
	});

	it('continue after the results of tool calls', async () => {
		const messages = [user, calling, result];
		const chat = await platform.client.chat(COMPLETIONS, { messages });
		expect(chat.json.choices[0].message.content).toBe('The tool said: done');
		const { json } = await platform.client.chat(RESPONSES, { input: [itemOfCall, itemOfResult] });
		expect(json.output[0].content[0].text).toBe('The tool said: done');
	});
});
