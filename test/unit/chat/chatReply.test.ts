import {
	readJsonReply,
	readReply,
	whyIncomplete,
} from '../../../nodes/SocialOpenPlatform/chat/response';

const message = (parts: object) => ({ choices: [{ finish_reason: 'stop', message: parts }] });
const messageItem = (...content: unknown[]) => ({ type: 'message', role: 'assistant', content });
const outputText = (text: unknown) => ({ type: 'output_text', text });

describe('readReply of a completion', () => {
	test('reads the first choice and its finish reason', () => {
		const choices = [
			{ finish_reason: 'stop', message: { role: 'assistant', content: 'one' } },
			{ finish_reason: 'length', message: { role: 'assistant', content: 'two' } },
		];
		expect(readReply({ choices })).toStrictEqual({
			...{ text: 'one', finishReason: 'stop', refusal: '' },
			toolCalls: undefined,
		});
	});

	test('reads content as text and as parts', () => {
		const content = [{ type: 'text', text: 'a' }, { type: 'image' }, null, { text: 'b' }];
		expect(readReply(message({ content })).text).toBe('ab');
	});

	test('keeps tool calls and a refusal unchanged', () => {
		const tool_calls = [{ id: '1', type: 'function', function: { name: 'f', arguments: '{"a":' } }];
		const read = readReply(message({ content: null, refusal: 'No.', tool_calls }));
		expect(read).toMatchObject({ text: '', refusal: 'No.', toolCalls: tool_calls });
	});

	test.each([
		['<think>Hm.\nYes.</think>\n\nHello', 'Hello'],
		['Hm.</think>Hello', 'Hello'],
		['<thinking>Hm.</thinking>\n<thought>Yes.</Thought>\nHello', 'Hello'],
		['Hello <think>no</think>', 'Hello <think>no</think>'],
		['<think>Hm', '<think>Hm'],
	])('omits the reasoning at the start of %j', (content, text) => {
		expect(readReply(message({ content })).text).toBe(text);
	});

	test('finds no reasoning in a long text', () => {
		const content = 'a'.repeat(1e7);
		expect(readReply(message({ content })).text).toHaveLength(1e7);
	});

	test.each([
		['STOP', 'STOP'],
		['MAX_TOKENS', 'length'],
		[null, ''],
	])('reads the finish reason %s as %j', (finish_reason, reason) => {
		const choices = [{ finish_reason, message: { content: 'a' } }];
		expect(readReply({ choices }).finishReason).toBe(reason);
	});

	test.each([
		[{}],
		[{ choices: [null] }],
		[{ choices: [{ message: { content: 7, refusal: {}, tool_calls: 'x' } }], usage: 'u', id: 1 }],
	])('reads an empty reply from %j', (json) => {
		expect(readReply(json)).toMatchObject({ text: '', refusal: '', toolCalls: undefined });
	});
});

describe('readReply of a response', () => {
	test('joins the texts of all messages with a blank line', () => {
		const output = [
			{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }] },
			messageItem(outputText('a'), outputText('b')),
			{ type: 'unheard_of' },
			messageItem(outputText('c')),
		];
		expect(readReply({ status: 'completed', output, choices: null })).toStrictEqual({
			...{ text: 'ab\n\nc', finishReason: 'stop', refusal: '' },
			toolCalls: undefined,
		});
	});

	test('keeps tool calls unchanged, with the finish reason tool_calls', () => {
		const call = { type: 'function_call', call_id: '1', name: 'f', arguments: '{}' };
		const other = { type: 'custom_tool_call', call_id: '2', name: 'g', input: 'x' };
		const read = readReply({ status: 'completed', output: [messageItem(), call, other] });
		expect(read).toMatchObject({ text: '', finishReason: 'tool_calls' });
		expect(read.toolCalls).toStrictEqual([call, other]);
	});

	test('ignores a web_search_call, which the platform executes itself', () => {
		const output = [{ type: 'web_search_call', status: 'completed' }, messageItem(outputText('a'))];
		const read = readReply({ status: 'completed', output });
		expect(read).toMatchObject({ text: 'a', finishReason: 'stop', toolCalls: undefined });
		const alone = readReply({ status: 'completed', output: output.slice(0, 1) });
		expect(whyIncomplete(alone)).toMatchObject({ message: 'The answer is empty' });
	});

	test('reads a refusal of the model', () => {
		const output = [messageItem({ type: 'refusal', refusal: 'I cannot.' })];
		expect(readReply({ status: 'completed', output })).toMatchObject({ refusal: 'I cannot.' });
	});

	test.each([
		['completed', null, 'stop'],
		['incomplete', { reason: 'max_output_tokens' }, 'length'],
		['incomplete', { reason: 'something new' }, 'something new'],
		['incomplete', null, 'incomplete'],
		['queued', undefined, 'queued'],
	])(
		'converts the status %s with the details %j to the finish reason %s',
		(status, incomplete_details, reason) => {
			const output = [messageItem(outputText('a'))];
			const { finishReason } = readReply({ status, incomplete_details, output });
			expect(finishReason).toBe(reason);
		},
	);

	test('reports the length limit even when there are tool calls', () => {
		const output = [{ type: 'function_call', arguments: '{"a' }];
		const incomplete_details = { reason: 'max_output_tokens' };
		const read = readReply({ status: 'incomplete', incomplete_details, output });
		expect(read.finishReason).toBe('length');
	});

	test.each([
		[{}],
		[{ output: [null, 'x', 7] }],
		[{ output: [messageItem('x', 7, null, { text: 7 })], status: 7, usage: [], model: {} }],
	])('reads an empty reply from %j', (json) => {
		expect(readReply(json)).toMatchObject({ text: '', toolCalls: undefined });
	});
});

describe('whyIncomplete', () => {
	const reply = readReply(message({ content: 'Hello' }));

	test.each([
		['The model refused to answer: “No.”', { refusal: 'No.', finishReason: 'length' }],
		["The platform's content filter stopped the answer", { finishReason: 'content_filter' }],
		['The answer was cut off at the token limit', { finishReason: 'length', text: '' }],
		['The answer is empty', { text: ' \n\t' }],
		['The answer is empty', { text: '', finishReason: '' }],
		['The answer may be incomplete: it ended with “failed”', { finishReason: 'failed' }],
		['The answer may be incomplete: it ended with “tool_calls”', { finishReason: 'tool_calls' }],
	])('reports %s', (expected, change) => {
		expect(whyIncomplete({ ...reply, ...change })).toMatchObject({
			message: expected,
			advice: expect.stringMatching(/^[A-Z].*\.$/),
		});
	});

	test.each([
		[{}],
		[{ finishReason: '' }],
		[{ finishReason: 'end_turn' }],
		[{ finishReason: 'eos_token' }],
		[{ text: '', toolCalls: [{}], finishReason: 'tool_calls' }],
		[{ text: '', toolCalls: [{}] }],
	])('accepts a complete reply: %j', (change) => {
		expect(whyIncomplete({ ...reply, ...change })).toBeUndefined();
	});

	test('shortens a long refusal', () => {
		const { message: told } = whyIncomplete({ ...reply, refusal: 'x'.repeat(5000) })!;
		expect(told.length).toBeLessThan(400);
	});
});

describe('readJsonReply', () => {
	const schema = {
		type: 'object',
		properties: { title: { type: 'string' } },
		required: ['title', 'tags'],
	};

	test.each([
		['[]', 'it is not of type object', schema],
		['{"a":1}', 'it is not of type array or null', { type: ['array', 'null'] }],
		['{"title":"a"}', "it has no field 'tags'", schema],
		['{"toString":1}', "it has no field 'constructor'", { required: ['constructor'] }],
	])('reports that %s does not match: %s', (text, why, given) => {
		expect(readJsonReply(text, given)).toMatchObject({
			value: JSON.parse(text) as object,
			flaw: {
				message: `The answer does not match the JSON Schema: ${why}`,
				advice: expect.stringMatching(/Strict Schema/),
			},
		});
	});

	test.each([
		['{"title":1,"tags":null,"more":1}', schema],
		['{"a":1}', { $ref: '#/$defs/x', anyOf: [{ type: 'string' }], minProperties: 9 }],
		['{"a":1}', {}],
		['{"a":1}', undefined],
	])('accepts %s, also where it does not check the schema', (text, given) => {
		expect(readJsonReply(text, given)).toStrictEqual({ value: JSON.parse(text) as object });
	});
});
