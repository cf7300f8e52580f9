import {
	readCompletion,
	readResponse,
	whyIncomplete,
} from '../../nodes/SocialOpenPlatform/protocol/chat/reply';

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
			...{ text: 'one', finishReason: 'stop', refusal: undefined, toolCalls: [] },
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
		[{}],
		[{ choices: [] }],
		[{ choices: null }],
		[{ choices: [null] }],
		[{ choices: ['x'] }],
		[{ choices: [{ message: null, finish_reason: null }] }],
		[{ choices: [{ finish_reason: 'stop' }] }],
		[{ choices: [{ message: { content: 7, refusal: {}, tool_calls: 'x' } }], usage: 'u', id: 1 }],
	])('reads an empty reply from %j', (json) => {
		expect(readCompletion(json)).toMatchObject({ text: '', finishReason: '', toolCalls: [] });
	});
});

describe('readResponse', () => {
	test('joins the texts of all messages', () => {
		const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
		const output = [
			{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }] },
			messageItem(outputText('a'), outputText('b')),
			{ type: 'unheard_of' },
			messageItem(outputText('c')),
		];
		const json = { id: 'r1', model: 'm', status: 'completed', usage, output };
		expect(readResponse(json)).toStrictEqual({
			...{ text: 'abc', finishReason: 'stop', refusal: undefined, toolCalls: [] },
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
		[{ output: [{ type: 'message', content: 'x' }, { type: 7 }], incomplete_details: 'x' }],
	])('reads an empty reply from %j', (json) => {
		expect(readResponse(json)).toMatchObject({ text: '', finishReason: '', toolCalls: [] });
	});
});
