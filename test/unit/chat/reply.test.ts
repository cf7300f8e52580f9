import {
	mismatchIn,
	readCompletion,
	readReply,
	readResponse,
	whyIncomplete,
	type ChatReply,
} from '../../../nodes/SocialOpenPlatform/chat/reply';

const message = (parts: object) => ({ choices: [{ finish_reason: 'stop', message: parts }] });
const messageItem = (...content: unknown[]) => ({ type: 'message', role: 'assistant', content });
const outputText = (text: unknown) => ({ type: 'output_text', text });

describe('readCompletion', () => {
	test('reads the first choice, finish reason, usage and model', () => {
		const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, details: { x: 1 } };
		const choices = [
			{ finish_reason: 'stop', message: { role: 'assistant', content: 'one' } },
			{ finish_reason: 'length', message: { role: 'assistant', content: 'two' } },
		];
		expect(readCompletion({ id: 'c1', model: 'm-2', usage, choices })).toStrictEqual({
			...{ text: 'one', reasoning: undefined, finishReason: 'stop', refusal: '', toolCalls: [] },
			...{ usage, model: 'm-2', id: 'c1' },
		});
	});

	test('reads content as text and as parts', () => {
		const content = [{ type: 'text', text: 'a' }, { type: 'image' }, null, { text: 'b' }];
		expect(readCompletion(message({ content })).text).toBe('ab');
	});

	test('keeps tool calls and a refusal unchanged', () => {
		const tool_calls = [{ id: '1', type: 'function', function: { name: 'f', arguments: '{"a":' } }];
		const read = readCompletion(message({ content: null, refusal: 'No.', tool_calls }));
		expect(read).toMatchObject({ text: '', refusal: 'No.', toolCalls: tool_calls });
	});

	test.each([
		['<think>Hm.\nYes.</think>\n\nHello', 'Hm.\nYes.', 'Hello'],
		['\n<think></think>Hello', '', 'Hello'],
		['Hello <think>no</think>', undefined, 'Hello <think>no</think>'],
		['<think>Hm', undefined, '<think>Hm'],
	])('separates the reasoning at the start of %j', (content, reasoning, text) => {
		expect(readCompletion(message({ content }))).toMatchObject({ reasoning, text });
	});

	test.each([
		['STOP', 'stop'],
		['eos_token', 'stop'],
		['end_turn', 'stop'],
		['MAX_TOKENS', 'length'],
		['function_call', 'tool_calls'],
		['network_error', 'network_error'],
		[null, ''],
	])('reads the finish reason %s as %j', (finish_reason, reason) => {
		const choices = [{ finish_reason, message: { content: 'a' } }];
		expect(readCompletion({ choices }).finishReason).toBe(reason);
	});

	test.each([
		[{}],
		[{ choices: [] }],
		[{ choices: null }],
		[{ choices: [null] }],
		[{ choices: ['x'] }],
		[{ choices: [{ message: null, finish_reason: null }] }],
		[{ choices: [{ message: { content: 7, refusal: {}, tool_calls: 'x' } }], usage: 'u', id: 1 }],
	])('reads an empty reply from %j', (json) => {
		expect(readCompletion(json)).toMatchObject({ text: '', finishReason: '', toolCalls: [] });
	});
});

describe('readResponse', () => {
	test('joins the texts of all messages with a blank line', () => {
		const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
		const output = [
			{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }] },
			messageItem(outputText('a'), outputText('b')),
			{ type: 'unheard_of' },
			messageItem(outputText('c')),
		];
		const json = { id: 'r1', model: 'm', status: 'completed', usage, output };
		expect(readResponse(json)).toStrictEqual({
			...{ text: 'ab\n\nc', reasoning: undefined, finishReason: 'stop', refusal: '' },
			toolCalls: [],
			...{ usage, model: 'm', id: 'r1' },
		});
	});

	test('keeps tool calls unchanged, with the finish reason tool_calls', () => {
		const call = { type: 'function_call', call_id: '1', name: 'f', arguments: '{}' };
		const other = { type: 'custom_tool_call', call_id: '2', name: 'g', input: 'x' };
		const read = readResponse({ status: 'completed', output: [messageItem(), call, other] });
		expect(read).toMatchObject({ text: '', finishReason: 'tool_calls' });
		expect(read.toolCalls).toStrictEqual([call, other]);
	});

	test.each(['web_search_call', 'file_search_call', 'code_interpreter_call', 'mcp_call'])(
		'ignores a %s, which the platform executes itself',
		(type) => {
			const output = [{ type, id: 'w', status: 'completed' }, messageItem(outputText('Found'))];
			const read = readResponse({ status: 'completed', output });
			expect(read).toMatchObject({ text: 'Found', finishReason: 'stop', toolCalls: [] });
			const alone = readResponse({ status: 'completed', output: output.slice(0, 1) });
			expect(whyIncomplete(alone)).toMatchObject({ message: 'The answer is empty' });
		},
	);

	test('reads a refusal of the model', () => {
		const output = [messageItem({ type: 'refusal', refusal: 'I cannot.' })];
		expect(readResponse({ status: 'completed', output })).toMatchObject({ refusal: 'I cannot.' });
	});

	test.each([
		['completed', null, 'stop'],
		['incomplete', { reason: 'max_output_tokens' }, 'length'],
		['incomplete', { reason: 'content_filter' }, 'content_filter'],
		['incomplete', { reason: 'something new' }, 'something new'],
		['incomplete', null, 'incomplete'],
		['queued', undefined, 'queued'],
	])(
		'converts the status %s with the details %j to the finish reason %s',
		(status, incomplete_details, reason) => {
			const output = [messageItem(outputText('a'))];
			const { finishReason } = readResponse({ status, incomplete_details, output });
			expect(finishReason).toBe(reason);
		},
	);

	test.each(['incomplete', 'in_progress', 'queued', 'cancelled', 'failed'])(
		'reports an incomplete reply for the status %s',
		(status) => {
			const read = readResponse({ status, output: [messageItem(outputText('Half'))] });
			expect(whyIncomplete(read)).toBeDefined();
		},
	);

	test('reports the length limit even when there are tool calls', () => {
		const output = [{ type: 'function_call', arguments: '{"a' }];
		const incomplete_details = { reason: 'max_output_tokens' };
		const read = readResponse({ status: 'incomplete', incomplete_details, output });
		expect(read.finishReason).toBe('length');
	});

	test.each([
		[{}],
		[{ output: null }],
		[{ output: [null, 'x', 7] }],
		[{ output: [messageItem('x', 7, null, { text: 7 })], status: 7, usage: [], model: {} }],
	])('reads an empty reply from %j', (json) => {
		expect(readResponse(json)).toMatchObject({ text: '', toolCalls: [] });
	});
});

describe('readReply', () => {
	test('reads the responses of both operations', () => {
		const output = [messageItem(outputText('b'))];
		expect(readReply(message({ content: 'a' })).text).toBe('a');
		expect(readReply({ output, choices: null }).text).toBe('b');
	});
});

describe('whyIncomplete', () => {
	const reply: ChatReply = { text: 'Hello', finishReason: 'stop', toolCalls: [] };

	test.each([
		['The model refused to answer: “No.”', { refusal: 'No.', finishReason: 'length' }],
		['The model refused to answer', { finishReason: 'refusal' }],
		["The platform's content filter stopped the answer", { finishReason: 'content_filter' }],
		['The answer was cut off at the token limit', { finishReason: 'length', text: '' }],
		['The answer is empty', { text: ' \n\t' }],
		['The answer is empty', { text: '', finishReason: '' }],
		['The answer is empty: it ended with “queued”', { text: '', finishReason: 'queued' }],
		['The answer may be incomplete: it ended with “failed”', { finishReason: 'failed' }],
		[
			'The answer may be incomplete: it ended with “tool_calls”, but contains no tool call',
			{ finishReason: 'tool_calls' },
		],
	])('reports %s', (expected, change) => {
		expect(whyIncomplete({ ...reply, ...change })).toMatchObject({
			message: expected,
			advice: expect.stringMatching(/^[A-Z].*\.$/),
		});
	});

	test.each([
		[{}],
		[{ finishReason: '' }],
		[{ text: '', toolCalls: [{}], finishReason: 'tool_calls' }],
		[{ text: '', toolCalls: [{}] }],
		[{ refusal: '' }],
	])('accepts a complete reply: %j', (change) => {
		expect(whyIncomplete({ ...reply, ...change })).toBeUndefined();
	});

	test('shortens a long refusal', () => {
		const { message: told } = whyIncomplete({ ...reply, refusal: 'x'.repeat(5000) })!;
		expect(told.length).toBeLessThan(400);
	});
});

describe('mismatchIn', () => {
	const schema = {
		type: 'object',
		properties: {
			title: { type: 'string' },
			size: { type: ['integer', 'null'] },
			kind: { enum: ['a', 2, null] },
			tags: { type: 'array', items: { type: 'string' } },
		},
		required: ['title'],
		additionalProperties: false,
	};

	test.each([
		['x', 'it is not of type object'],
		[{}, "it has no field 'title'"],
		[{ title: 1 }, 'it.title is not of type string'],
		[{ title: '', size: 1.5 }, 'it.size is not of type integer or null'],
		[{ title: '', kind: 'b' }, 'it.kind has a value that is not allowed'],
		[{ title: '', tags: ['a', 1] }, 'it.tags[1] is not of type string'],
		[{ title: '', more: 1 }, "it has the additional field 'more'"],
	])('names the first part of %j that does not match', (value, why) => {
		expect(mismatchIn(value, schema)).toBe(why);
	});

	test.each([
		[{ title: 'a', size: null, kind: 2, tags: ['x'] }, schema],
		[{ title: 'a', size: 9007199254740993 }, schema],
		[{ a: 1 }, { $ref: '#/$defs/x', anyOf: [{ type: 'string' }], minProperties: 9 }],
		[[1, 'a'], { prefixItems: [{}, {}], items: { type: 'boolean' } }],
		[{ x1: 1 }, { patternProperties: { '^x': {} }, additionalProperties: false }],
		[2 ** 60, { enum: ['1152921504606846977'] }],
		['2030-13-99', { type: 'string', format: 'date', pattern: '^a' }],
		[1, { type: 'something' }],
		[1, true],
	])('accepts %j, also where it cannot check the schema', (value, given) => {
		expect(mismatchIn(value, given)).toBeUndefined();
	});
});
