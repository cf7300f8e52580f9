import { loopback, type Loopback } from '../../loopback';
import { chat, complete, respond } from '../harness/chats';
import { called, calling, delta, done, event, stop, useEventServer } from '../harness/eventServer';
import { usePlatform } from '../harness/platform';
import { runWithModel } from '../harness/modelTask';

const platform = usePlatform();

const call = { index: 0, id: 'a', type: 'function', function: { name: 'post', arguments: '{}' } };
const legacy = { name: 'post', arguments: '{}' };
const half = delta({ content: 'Half' });
const cut = delta({}, 'length');
const filtered = delta({}, 'content_filter');
const usage = (finish_reason: unknown) =>
	event({ choices: [{ index: 0, delta: {}, finish_reason }], usage: { total_tokens: 3 } });
const ending = (parts: object) =>
	event({ choices: [{ index: 0, finish_reason: 'stop', ...parts }] });

const LENGTH = 'The answer was cut off at the token limit';
const FILTER = "The platform's content filter stopped the answer";
const MAY_NOT = 'The answer may be incomplete: ';
const FUNCTION_CALL = `${MAY_NOT}it calls a function with function_call instead of tool_calls`;
const OWN = `${MAY_NOT}a part of the stream contains a separate message`;
const BROKEN = `${MAY_NOT}the platform ended the answer early: “overloaded”`;
const EMPTY = 'The answer is empty';

describe('An incomplete stream', () => {
	const server = useEventServer(platform);

	test.each<[string, string, string[]]>([
		['a call, “length”, and usage with an empty reason', LENGTH, [calling(call), cut, usage('')]],
		['a call, “length”, and usage with no reason', LENGTH, [calling(call), cut, usage(null)]],
		['a content filter, and then “stop”', FILTER, [half, filtered, stop]],
		['a content filter, and then usage with “stop”', FILTER, [half, filtered, usage('stop')]],
		['a call, a content filter, and then “tool_calls”', FILTER, [calling(call), filtered, called]],
		['“stop”, and then “length” after a call', LENGTH, [calling(call), stop, cut]],
		[
			'a finish reason that is not text',
			`${MAY_NOT}it ended with “{"type":"length"}”`,
			[half, usage({ type: 'length' }), done],
		],
		['an error in the choice', BROKEN, [half, ending({ error: { message: 'overloaded' } })]],
		[
			'an error in the choice, and then “stop”',
			BROKEN,
			[event({ choices: [{ error: { message: 'overloaded' } }] }), calling(call), called],
		],
		[
			'an error without a message in the choice',
			`${MAY_NOT}the platform ended the answer early`,
			[half, ending({ delta: {}, error: { code: 502 } })],
		],
		['no events', EMPTY, []],
		['no choice', EMPTY, [event({ choices: [] })]],
		['only usage', EMPTY, [event({ choices: [], usage: { total_tokens: 3 } })]],
		['a function_call', FUNCTION_CALL, [delta({ function_call: legacy }, 'function_call')]],
		[
			'a function_call in several pieces, and “stop”',
			FUNCTION_CALL,
			[half, delta({ function_call: { name: 'post' } }), delta({ function_call: legacy }), stop],
		],
		[
			'a last event with a whole message',
			OWN,
			[ending({ message: { content: 'Half an answer' } })],
		],
		[
			'a last event with more text than was streamed',
			OWN,
			[half, ending({ message: { content: 'Half an' } })],
		],
		[
			'a last event with a tool call',
			OWN,
			[half, ending({ message: { content: '', tool_calls: [call] } })],
		],
		[
			'a last event with a function_call',
			FUNCTION_CALL,
			[half, ending({ message: { content: '', function_call: legacy } })],
		],
		[
			'“tool_calls” without a tool call',
			`${MAY_NOT}it ended with “tool_calls”, but contains no tool call`,
			[half, called],
		],
		[
			'two choices, of which only the second is complete',
			LENGTH,
			[calling(call), event({ choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] }), cut],
		],
	])('fails without calling a tool: %s', async (_, message, pieces) => {
		const { error, answer } = await server.read(...pieces, done);
		expect(answer).toBeUndefined();
		expect(error!.message).toBe(message);
		expect(error!.context).toMatchObject({ data: { outcome: 'incomplete' } });
	});

	test('fails when text or tool calls follow the only finish reason', async () => {
		for (const pieces of [
			[half, stop, delta({ content: ' an answer that' })],
			[half, called, calling(call)],
			[half, event({ choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] })],
		]) {
			const { error } = await server.read(...pieces);
			expect(error!.message).toContain('the answer was cut off in the middle');
		}
	});

	test('is not reported when the only tool call is not in a list', async () => {
		const { answer } = await server.read(ending({ delta: { tool_calls: call } }), done);
		expect(answer!.tool_calls).toMatchObject([{ name: 'post', args: {} }]);
	});

	test('fails when an event contains an error with only a code', async () => {
		const choices = [{ index: 0, delta: { content: 'Half' } }];
		for (const error of [{ code: 'server_error' }, { type: 'overloaded' }]) {
			const read = await server.read(event({ choices, error }), stop, done);
			expect(read.error!.message).toContain('the platform ended the answer early: no message');
		}
	});

	test.each<[string, string[]]>([
		[
			'contains two choices',
			[half, event({ choices: [{ index: 1, delta: { content: 'No' } }] }), stop],
		],
		['repeats its text in a message', [half, ending({ message: { content: 'Half' } })]],
		['contains an empty message', [half, ending({ message: { content: null, tool_calls: [] } })]],
		['contains an empty error', [half, ending({ delta: {}, error: null })]],
		[
			'contains an empty function_call',
			[delta({ content: 'Half', function_call: { name: '', arguments: '' } }), stop],
		],
		['contains two finish reasons', [half, stop, usage('stop')]],
		[
			'contains text and a second finish reason after the first one',
			[delta({ content: 'Ha' }, 'stop'), delta({ content: 'lf' }, 'stop')],
		],
	])('is not reported when the stream %s', async (_, pieces) => {
		const { error, texts } = await server.read(...pieces, done);
		expect(error).toBeUndefined();
		expect(texts.join('')).toBe('Half');
	});
});

describe('An incomplete response', () => {
	let server: Loopback;
	let answered: object;
	beforeEach(async () => {
		server = await loopback((_, response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(JSON.stringify(answered));
		});
		Object.assign(platform.credential, { baseUrl: server.url });
	});
	afterEach(async () => await server.stop());

	const stopped = { index: 0, finish_reason: 'stop' };
	const said = { content: 'Half' };
	const completions: Array<[string, string, object]> = [
		['no choice', EMPTY, { choices: [] }],
		['a choice without a message', EMPTY, { choices: [stopped] }],
		['a last message without text', EMPTY, { choices: [{ message: { content: '' } }] }],
		[
			'text and an error',
			BROKEN,
			{ choices: [{ ...stopped, message: said, error: { message: 'overloaded' } }] },
		],
		[
			'an error that is text, and a tool call',
			BROKEN,
			{
				choices: [
					{
						finish_reason: 'tool_calls',
						message: { ...said, tool_calls: [call] },
						error: 'overloaded',
					},
				],
			},
		],
		[
			'a function_call',
			FUNCTION_CALL,
			{
				choices: [
					{ finish_reason: 'function_call', message: { content: null, function_call: legacy } },
				],
			},
		],
		[
			'text and a function_call',
			FUNCTION_CALL,
			{ choices: [{ ...stopped, message: { ...said, function_call: legacy } }] },
		],
	];

	test.each(completions)('is an error of the chat model: %s', async (_, message, body) => {
		answered = body;
		const options = { maxRetries: 0 };
		const { error, value } = await runWithModel(
			platform,
			async (model) => await model.invoke('Hi'),
			{
				options,
			},
		);
		expect(value).toBeUndefined();
		expect(error!.message).toBe(message);
		expect(error!.context).toMatchObject({ data: { outcome: 'incomplete' } });
	});

	const output = (status: string, type = 'message') => [
		{ type, status, content: [{ type: 'output_text', text: 'Half' }], name: 'post' },
	];

	test.each([
		...completions.map((one) => [...one, complete] as const),
		...['incomplete', 'in_progress'].map(
			(status) =>
				[
					`a message with the status ${status}`,
					`${MAY_NOT}it ended with “${status}”`,
					{ status: 'completed', output: output(status) },
					respond,
				] as const,
		),
		[
			'a call with the status incomplete',
			`${MAY_NOT}it ended with “incomplete”`,
			{ output: output('incomplete', 'function_call') },
			respond,
		] as const,
	])('is an error of the action node: %s', async (_, message, body, chatOperation) => {
		answered = body;
		const { error, outputs } = await platform.run(chat(chatOperation));
		expect(outputs.flat()).toStrictEqual([]);
		expect(error).toMatchObject({ message, context: { data: { outcome: 'incomplete' } } });
	});
});
