import {
	readCompletion,
	readResponse,
	whyIncomplete,
} from '../../nodes/SocialOpenPlatform/protocol/chat/reply';

const message = (parts: object) => ({ choices: [{ finish_reason: 'stop', message: parts }] });
const said = (...content: unknown[]) => ({ type: 'message', role: 'assistant', content });
const outputText = (text: unknown) => ({ type: 'output_text', text });

describe('The answer of a completion', () => {
	test('is its first choice, with how it ended, what it took, and by which model', () => {
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

	test('is read from parts as well as from text', () => {
		const content = [{ type: 'text', text: 'a' }, { type: 'image' }, null, { text: 'b' }];
		expect(readCompletion(message({ content })).text).toBe('ab');
	});

	test('keeps calls of tools and a refusal as they came', () => {
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
	])('is empty where there is none: %j', (json) => {
		expect(readCompletion(json)).toMatchObject({ text: '', finishReason: '', toolCalls: [] });
	});
});

describe('The answer of a response', () => {
	test('is the texts of its messages, whatever stands between them', () => {
		const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
		const output = [
			{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }] },
			said(outputText('a'), outputText('b')),
			{ type: 'unheard_of' },
			said(outputText('c')),
		];
		const json = { id: 'r1', model: 'm', status: 'completed', usage, output };
		expect(readResponse(json)).toStrictEqual({
			...{ text: 'abc', finishReason: 'stop', refusal: undefined, toolCalls: [] },
			...{ usage, model: 'm', id: 'r1' },
		});
	});

	test('keeps calls of tools as they came, and says that it ended with them', () => {
		const call = { type: 'function_call', call_id: '1', name: 'f', arguments: '{}' };
		const other = { type: 'custom_tool_call', call_id: '2', name: 'g', input: 'x' };
		const read = readResponse({ status: 'completed', output: [said(), call, other] });
		expect(read).toMatchObject({ text: '', finishReason: 'tool_calls' });
		expect(read.toolCalls).toStrictEqual([call, other]);
	});

	test.each(['web_search_call', 'file_search_call', 'code_interpreter_call', 'mcp_call'])(
		'takes a %s, which the platform ran itself, for no call of a tool',
		(type) => {
			const output = [{ type, id: 'w', status: 'completed' }, said(outputText('Found'))];
			const read = readResponse({ status: 'completed', output });
			expect(read).toMatchObject({ text: 'Found', finishReason: 'stop', toolCalls: [] });
			const alone = readResponse({ status: 'completed', output: output.slice(0, 1) });
			expect(whyIncomplete(alone)).toMatchObject({ message: 'The answer is empty' });
		},
	);

	test('tells a refusal of the model', () => {
		const output = [said({ type: 'refusal', refusal: 'I cannot.' })];
		expect(readResponse({ status: 'completed', output })).toMatchObject({ refusal: 'I cannot.' });
	});

	test.each([
		['completed', null, 'stop'],
		['incomplete', { reason: 'max_output_tokens' }, 'length'],
		['incomplete', { reason: 'content_filter' }, 'content_filter'],
		['incomplete', { reason: 'something new' }, 'something new'],
		['incomplete', null, 'incomplete'],
		['queued', undefined, 'queued'],
	])('ends in the words of a completion: %s, %j', (status, incomplete_details, reason) => {
		const output = [said(outputText('a'))];
		const { finishReason } = readResponse({ status, incomplete_details, output });
		expect(finishReason).toBe(reason);
	});

	test.each(['incomplete', 'in_progress', 'queued', 'cancelled', 'failed'])(
		'is not whole with the status %s, whatever it says',
		(status) => {
			const read = readResponse({ status, output: [said(outputText('Half'))] });
			expect(whyIncomplete(read)).toBeDefined();
		},
	);

	test('that was cut off among calls of tools was cut off', () => {
		const output = [{ type: 'function_call', arguments: '{"a' }];
		const incomplete_details = { reason: 'max_output_tokens' };
		const read = readResponse({ status: 'incomplete', incomplete_details, output });
		expect(read.finishReason).toBe('length');
	});

	test.each([
		[{}],
		[{ output: null }],
		[{ output: [null, 'x', 7] }],
		[{ output: [said('x', 7, null, { text: 7 })], status: 7, usage: [], model: {} }],
		[{ output: [{ type: 'message', content: 'x' }, { type: 7 }], incomplete_details: 'x' }],
	])('is empty where there is none: %j', (json) => {
		expect(readResponse(json)).toMatchObject({ text: '', finishReason: '', toolCalls: [] });
	});
});
