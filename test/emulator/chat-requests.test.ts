import { emulatorAroundTests } from './around-tests';
import { COMPLETIONS, hello, RESPONSES } from './chat-frames';
import type { TestClient } from './test-client';

const CALLING = {
	role: 'assistant',
	content: null,
	tool_calls: [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }],
};
const RESULT = { role: 'tool', tool_call_id: 'c1', content: 'done' };

describe('Chat requests', () => {
	let client: TestClient;

	emulatorAroundTests((_emulator, theirs) => (client = theirs));

	it.each([
		[COMPLETIONS, { messages: [] }],
		[COMPLETIONS, { model: 7, ...hello }],
		[COMPLETIONS, { messages: [{ role: 'robot', content: 'x' }] }],
		[COMPLETIONS, { messages: [{ role: 'user' }] }],
		[COMPLETIONS, { messages: [...hello.messages, CALLING] }],
		[COMPLETIONS, { messages: [...hello.messages, CALLING, ...hello.messages, RESULT] }],
		[COMPLETIONS, { messages: [...hello.messages, RESULT] }],
		[COMPLETIONS, { ...hello, temperature: 2.1 }],
		[COMPLETIONS, { ...hello, max_tokens: '5' }],
		[COMPLETIONS, { ...hello, tools: [{ type: 'function', function: { name: 'a b' } }] }],
		[COMPLETIONS, { ...hello, stream_options: { include_usage: true } }],
		[COMPLETIONS, { ...hello, response_format: { type: 'json_schema', json_schema: {} } }],
		[RESPONSES, {}],
		[RESPONSES, { input: 'x', max_output_tokens: 0 }],
		[RESPONSES, { input: 'x', text: { format: { type: 'json_schema', schema: {} } } }],
		[RESPONSES, { input: [{ type: 'function_call_output', call_id: 'c1', output: 'x' }] }],
		[RESPONSES, { input: [{ type: 'function_call', call_id: 'c1', name: 'a' }] }],
	])('to %s are refused with HTTP 400 for %j', async (path, body) => {
		const { status, json } = await client.chat(path, body);
		expect(status).toBe(400);
		const message = expect.any(String);
		expect(json).toStrictEqual({
			error: { message, type: 'invalid_request_error', param: null, code: null },
		});
	});

	it('may contain the results of tool calls', async () => {
		const chat = await client.chat(COMPLETIONS, { messages: [...hello.messages, CALLING, RESULT] });
		expect(chat.json.choices[0].message.content).toBe('The tool said: done');
		const call = { type: 'function_call', call_id: 'c1', name: 'a', arguments: '{}' };
		const result = { type: 'function_call_output', call_id: 'c1', output: 'done' };
		for (const body of [
			{ input: [call, result] },
			{ input: [result], previous_response_id: 'r' },
		]) {
			const { json } = await client.chat(RESPONSES, body);
			expect(json.output[0].content[0].text).toBe('The tool said: done');
		}
	});
});
