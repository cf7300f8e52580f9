import { emulatorAroundTests } from './around-tests';
import { COMPLETIONS, hello, RESPONSES } from './chat-frames';
import type { TestClient } from './test-client';

const SCHEMA = {
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
const FITTING = {
	caption: 'You said: hello there',
	tags: ['You said: hello there'],
	tone: 'warm',
	score: 3,
};

describe('Chat operations', () => {
	let client: TestClient;

	emulatorAroundTests((_emulator, theirs) => (client = theirs));

	it('repeat the message of a completion request and count tokens', async () => {
		const { json } = await client.chat(COMPLETIONS, hello);
		expect(json).toMatchObject({
			object: 'chat.completion',
			model: 'm1',
			choices: [
				{ message: { role: 'assistant', content: 'You said: hello there' }, finish_reason: 'stop' },
			],
			usage: { prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 },
		});
		const parts = [{ type: 'text', text: 'hello there' }];
		const again = await client.chat(COMPLETIONS, { messages: [{ role: 'user', content: parts }] });
		expect(again.json.choices).toEqual(json.choices);
	});

	it('repeat the input of a response request and count tokens', async () => {
		const { json } = await client.chat(RESPONSES, {
			input: 'hello there',
			instructions: 'Be short',
		});
		expect(json).toMatchObject({
			object: 'response',
			status: 'completed',
			output: [
				{ type: 'message', content: [{ type: 'output_text', text: 'You said: hello there' }] },
			],
			usage: { input_tokens: 4, output_tokens: 4, total_tokens: 8 },
		});
	});

	it('return the same bytes for the same request', async () => {
		const tools = [{ type: 'function', function: { name: 'post', parameters: SCHEMA } }];
		const calling = { ...hello, tools, tool_choice: 'required' };
		for (const body of [hello, { ...hello, stream: true }, calling]) {
			const [one, two] = [
				await client.chat(COMPLETIONS, body),
				await client.chat(COMPLETIONS, body),
			];
			expect(two.text).toBe(one.text);
		}
		for (const body of [{ input: 'x' }, { input: 'x', stream: true }]) {
			const [one, two] = [await client.chat(RESPONSES, body), await client.chat(RESPONSES, body)];
			expect(two.text).toBe(one.text);
		}
	});

	it('cut the reply at the token limit and report this', async () => {
		const chat = await client.chat(COMPLETIONS, { ...hello, max_tokens: 2 });
		expect(chat.json.choices[0]).toMatchObject({
			message: { content: 'You said:' },
			finish_reason: 'length',
		});
		const response = await client.chat(RESPONSES, { input: 'hello there', max_output_tokens: 2 });
		expect(response.json).toMatchObject({
			status: 'incomplete',
			incomplete_details: { reason: 'max_output_tokens' },
		});
	});

	it('return JSON that matches a requested schema', async () => {
		const format = { type: 'json_schema', json_schema: { name: 'post', schema: SCHEMA } };
		const chat = await client.chat(COMPLETIONS, { ...hello, response_format: format });
		expect(JSON.parse(chat.json.choices[0].message.content)).toEqual(FITTING);
		const text = { format: { type: 'json_schema', name: 'post', schema: SCHEMA } };
		const response = await client.chat(RESPONSES, { input: 'hello there', text });
		expect(JSON.parse(response.json.output[0].content[0].text)).toEqual(FITTING);
	});

	it('call a requested tool with matching arguments', async () => {
		const tool = { name: 'post', parameters: SCHEMA };
		const chat = await client.chat(COMPLETIONS, {
			...hello,
			tools: [{ type: 'function', function: tool }],
			tool_choice: 'required',
		});
		const call = chat.json.choices[0].message.tool_calls[0].function;
		expect(JSON.parse(call.arguments)).toMatchObject({ tone: 'warm', score: 3 });
		const response = await client.chat(RESPONSES, {
			input: [{ role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
			tools: [{ type: 'function', ...tool }],
			tool_choice: { type: 'function', name: 'post' },
		});
		expect(response.json.output).toMatchObject([{ type: 'function_call', name: 'post' }]);
	});
});
