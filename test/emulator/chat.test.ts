import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import type { TestClient } from './test-client';

const COMPLETIONS = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const hello = { messages: [{ role: 'user', content: 'hello there' }] };

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

/** The JSON of a stream's data lines. */
const dataOf = (stream: string) =>
	stream
		.split('\n')
		.filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
		.map((line) => JSON.parse(line.slice(6)));

describe('chat operations', () => {
	let emulator: Emulator;
	let client: TestClient;

	emulatorAroundTests((...started) => ([emulator, client] = started));

	it.each([COMPLETIONS, RESPONSES])('%s wants the application secret as bearer', async (path) => {
		const token = await client.token();
		for (const authorization of [`Bearer ${token}`, emulator.appSecret, 'Bearer ']) {
			const { status, json } = await client.send('POST', path, hello, { authorization });
			expect(status).toBe(401);
			expect(json.error).toMatchObject({ code: 'invalid_api_key', message: expect.any(String) });
		}
	});

	it.each([
		[COMPLETIONS, { messages: [] }],
		[COMPLETIONS, { model: 7, ...hello }],
		[RESPONSES, {}],
	])('%s refuses %j with HTTP 400', async (path, body) => {
		const { status, json } = await client.chat(path, body);
		expect(status).toBe(400);
		expect(json.error.type).toBe('invalid_request_error');
	});

	it('answers a chat with what was said, and counts tokens', async () => {
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

	it('answers a response request likewise', async () => {
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

	it('cuts the answer at the token limit and says so', async () => {
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

	it('fits the JSON schema it is given', async () => {
		const format = { type: 'json_schema', json_schema: { name: 'post', schema: SCHEMA } };
		const chat = await client.chat(COMPLETIONS, { ...hello, response_format: format });
		expect(JSON.parse(chat.json.choices[0].message.content)).toEqual(FITTING);
		const text = { format: { type: 'json_schema', name: 'post', schema: SCHEMA } };
		const response = await client.chat(RESPONSES, { input: 'hello there', text });
		expect(JSON.parse(response.json.output[0].content[0].text)).toEqual(FITTING);
	});

	it('streams a chat piece by piece up to [DONE]', async () => {
		const body = { ...hello, stream: true, stream_options: { include_usage: true } };
		const { headers, text } = await client.chat(COMPLETIONS, body);
		expect(headers['content-type']).toContain('text/event-stream');
		expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
		const chunks = dataOf(text);
		const said = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
		expect(said).toBe('You said: hello there');
		expect(chunks.at(-2).choices[0].finish_reason).toBe('stop');
		expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 6 } });
	});

	it('streams a response as numbered events', async () => {
		const { text } = await client.chat(RESPONSES, { input: 'hello there', stream: true });
		const events = dataOf(text);
		expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, n) => n));
		expect([events[0].type, events.at(-1).type]).toEqual([
			'response.created',
			'response.completed',
		]);
		const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
		expect(deltas.map(({ delta }) => delta).join('')).toBe('You said: hello there');
	});

	it('follows its script: a tool call, a text, then the echo again', async () => {
		const script = [
			{ tool_calls: [{ name: 'post', arguments: { text: 'hi' } }] },
			{ content: 'done' },
		];
		expect((await client.control('POST', 'chat/script', script)).json.waiting).toBe(2);
		const call = (await client.chat(COMPLETIONS, hello)).json.choices[0];
		expect(call.finish_reason).toBe('tool_calls');
		expect(call.message.content).toBeNull();
		expect(call.message.tool_calls[0]).toMatchObject({
			id: expect.stringMatching(/^call_/),
			type: 'function',
			function: { name: 'post', arguments: '{"text":"hi"}' },
		});
		expect((await client.chat(COMPLETIONS, hello)).json.choices[0].message.content).toBe('done');
		const result = { role: 'tool', tool_call_id: 'call_1', content: 'posted' };
		const after = await client.chat(COMPLETIONS, { messages: [...hello.messages, result] });
		expect(after.json.choices[0].message.content).toBe('The tool said: posted');
	});

	it('streams scripted tool calls of both operations', async () => {
		const reply = { tool_calls: [{ name: 'post', arguments: { text: 'hi' } }] };
		emulator.scriptChat([reply, reply]);
		const chat = dataOf((await client.chat(COMPLETIONS, { ...hello, stream: true })).text);
		const delta = chat.find(({ choices }) => choices[0].delta.tool_calls)?.choices[0].delta;
		expect(delta.tool_calls[0]).toMatchObject({ index: 0, function: { name: 'post' } });
		const { text } = await client.chat(RESPONSES, { input: 'x', stream: true });
		const done = dataOf(text).at(-1);
		expect(done.response.output).toMatchObject([
			{
				type: 'function_call',
				name: 'post',
				arguments: '{"text":"hi"}',
				call_id: expect.any(String),
			},
		]);
	});

	it('calls the tool it is told to call, with arguments that fit', async () => {
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
