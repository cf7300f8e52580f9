import { loopback, type Loopback } from '../../loopback';
import { startPlatform, type Platform } from '../harness/platform';
import { modelMethods, runWithModel } from '../harness/modelTask';

let platform: Platform;
let server: Loopback;
/** The JSON response of the server, even if a stream is requested. */
let answered: object = {};
beforeAll(async () => {
	platform = await startPlatform();
	server = await loopback((_, response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify(answered));
	});
	Object.assign(platform.credential, { baseUrl: server.url });
});
afterAll(async () => {
	await server.stop();
	await platform.stop();
});

const message = (parts: object, finish_reason = 'stop') => ({
	...{ id: 'c1', model: 'm', choices: [{ index: 0, finish_reason, message: parts }] },
	usage: {
		...{ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
		prompt_tokens_details: { cached_tokens: 4 },
		completion_tokens_details: { reasoning_tokens: 3 },
	},
});
const call = (name: string, args: string, more = {}) => ({
	...{ type: 'function', function: { name, arguments: args }, ...more },
});

describe.each(modelMethods)('A chat model called with $method that gets a JSON response', (one) => {
	const read = async (answer: object) => {
		answered = answer;
		const options = { maxRetries: 0 };
		return await runWithModel(platform, async (model) => await one.ask(model, 'Hi'), { options });
	};

	test('reads the reply', async () => {
		const { value } = await read(message({ content: 'Hello' }));
		expect(value!.text).toBe('Hello');
		expect(value!.usage_metadata).toMatchObject({ input_tokens: 5, output_tokens: 7 });
	});

	test('reads a reply inside the business envelope', async () => {
		const data = message({ content: [{ type: 'text', text: 'Hello' }] });
		const { value } = await read({ success: true, code: 200, data });
		expect(value!.text).toBe('Hello');
	});

	test('generates IDs for tool calls without an ID', async () => {
		const tool_calls = [call('one', '{"x":1}'), call('two', '', { id: null })];
		const { value } = await read(message({ content: null, tool_calls }, 'tool_calls'));
		expect(value!.tool_calls).toMatchObject([
			{ id: expect.stringMatching(/./), name: 'one', args: { x: 1 } },
			{ id: expect.stringMatching(/./), name: 'two', args: {} },
		]);
		const [first, second] = value!.tool_calls!;
		expect(first!.id).not.toBe(second!.id);
	});

	test.each([
		['refused', { success: false, message: '参数错误', code: 2150 }, / \(code 2150: “参数错误”\)/],
		['refused', { error: { message: 'no', code: 'x' } }, / \(code x: “no”\)/],
		['unknown', { success: true, code: 200, data: {} }, /without the expected field choices/],
		['unknown', { ok: true }, /without the expected field choices/],
	])('reports an unreadable response: %s', async (outcome, body, words) => {
		const { error } = await read(body);
		expect(error!.message).toMatch(words);
		expect(error).toMatchObject({ context: { data: { outcome } } });
	});

	test('reports tool calls with invalid arguments', async () => {
		const tool_calls = [call('one', '{"x":1}', { id: 'a' }), call('two', '{"y', { id: 'b' })];
		const { error } = await read(message({ content: 'Hi', tool_calls }, 'tool_calls'));
		expect(error!.message).toBe(
			"The model called the tool 'two' with arguments that are not a JSON object",
		);
	});

	test('accepts arguments that are an object, null or missing, and repeated IDs', async () => {
		const of = (name: string, more: object) => ({ id: 'a', function: { name, ...more } });
		const tool_calls = [
			of('one', { arguments: { x: 1 } }),
			...[of('two', { arguments: null }), of('three', {})],
			{ id: '', function: { name: 'four', arguments: '{"n":9007199254740993}' } },
		];
		const { value, error } = await read(message({ content: null, tool_calls }, 'function_call'));
		expect(error).toBeUndefined();
		expect(value!.tool_calls).toMatchObject([
			...[{ id: 'a', name: 'one', args: { x: 1 } }, { name: 'two' }, { name: 'three' }],
			{ name: 'four', args: { n: '9007199254740993' } },
		]);
		expect(new Set([...value!.tool_calls!.map(({ id }) => id), ''])).toHaveProperty('size', 5);
	});

	test.each([
		['length', 'The answer was cut off at the token limit'],
		['content_filter', "The platform's content filter stopped the answer"],
		['network_error', 'The answer may be incomplete: it ended with “network_error”'],
	])('calls no tool when the finish reason is %s', async (reason, expected) => {
		const tool_calls = [call('one', '{"x":1}', { id: 'a' })];
		const { error } = await read(message({ content: 'I post it.', tool_calls }, reason));
		expect(error!.message).toBe(expected);
		expect(error).toMatchObject({ context: { data: { outcome: 'incomplete' } } });
	});

	test.each([
		[{ id: 'a', type: 'custom', custom: { name: 'x' } }],
		[call('', '{}')],
		['x'],
		[null],
	])('reports a tool call that is not a function call: %j', async (odd) => {
		const tool_calls = [call('one', '{}', { id: 'b' }), odd];
		const { error } = await read(message({ content: 'Hi', tool_calls }, 'tool_calls'));
		expect(error!.message).toBe('The model requested a tool call that is not a function call');
	});

	test.each(['network_error', 'insufficient_system_resource'])(
		'reports a reply with the finish reason %s',
		async (reason) => {
			const { error } = await read(message({ content: 'Half' }, reason));
			expect(error!.message).toBe(`The answer may be incomplete: it ended with “${reason}”`);
		},
	);

	test('returns text that was cut off', async () => {
		const { value } = await read(message({ content: 'Half' }, 'length'));
		expect(value!.text).toBe('Half');
	});
});
