import { called, calling, done, useEventServer } from '../harness/eventServer';

const server = useEventServer();

const named = (index: number, id: string, name: string, args: unknown = '') => ({
	...{ index, id, type: 'function', function: { name, arguments: args } },
});
const more = (index: number, args: unknown) => ({ index, function: { arguments: args } });

/** Streams these pieces and returns the tool calls of the reply. */
async function callsOf(...pieces: string[]) {
	const { answer, error } = await server.read(...pieces, called, done);
	expect(error).toBeUndefined();
	return answer!.tool_calls!;
}

describe('A streamed tool call', () => {
	test('ignores pieces of arguments that are null', async () => {
		const calls = await callsOf(
			calling(named(0, 'a', 'one', null)),
			calling(more(0, '{"x":')),
			calling(more(0, null)),
			calling({ index: 0, function: {} }),
			calling({ index: 0, function: null }),
			calling(more(0, '1}')),
			calling(more(0, null)),
		);
		expect(calls).toMatchObject([{ id: 'a', name: 'one', args: { x: 1 } }]);
	});

	test('has no arguments when they are null', async () => {
		expect(await callsOf(calling(named(0, 'a', 'one', null)))).toMatchObject([
			{ name: 'one', args: {} },
		]);
	});

	test('accepts arguments as an object', async () => {
		expect(
			await callsOf(
				calling(named(0, 'a', 'one', { x: [1, '发'] })),
				calling(named(1, 'b', 'two', {})),
			),
		).toMatchObject([
			{ name: 'one', args: { x: [1, '发'] } },
			{ name: 'two', args: {} },
		]);
	});

	test('begins with each new ID at an index', async () => {
		const calls = await callsOf(
			calling(named(0, 'a', 'one', '{"x":')),
			calling(more(0, '1}')),
			calling(named(0, 'b', 'two', '{"y":')),
			calling(more(0, '2}')),
		);
		expect(calls).toMatchObject([
			{ id: 'a', name: 'one', args: { x: 1 } },
			{ id: 'b', name: 'two', args: { y: 2 } },
		]);
	});

	test('continues with a repeated ID', async () => {
		const calls = await callsOf(
			calling(named(0, 'a', 'one', '{"x":')),
			calling(named(0, 'b', 'two', '{"y":')),
			calling({ index: 0, id: 'a', function: { arguments: '1}' } }),
			calling({ index: 0, id: 'b', function: { arguments: '2}' } }),
		);
		expect(calls).toMatchObject([
			{ id: 'a', args: { x: 1 } },
			{ id: 'b', args: { y: 2 } },
		]);
	});

	test('has its name only once when the name is repeated', async () => {
		const calls = await callsOf(
			calling(named(0, 'a', 'one', '{"x":')),
			calling(named(0, 'a', 'one', '1')),
			calling(named(0, 'a', 'one', '}')),
		);
		expect(calls).toMatchObject([{ id: 'a', name: 'one', args: { x: 1 } }]);
	});

	test('gets another ID when its ID is already in use', async () => {
		const calls = await callsOf(
			calling(named(0, 'a', 'one', '{"x":1}'), named(1, 'a', 'two', '{"y":2}')),
			calling(named(2, '', 'three', '{"z":3}')),
		);
		expect(calls).toMatchObject([
			{ id: 'a', name: 'one', args: { x: 1 } },
			{ id: expect.stringMatching(/./), name: 'two', args: { y: 2 } },
			{ id: expect.stringMatching(/./), name: 'three', args: { z: 3 } },
		]);
		expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
	});

	test('keeps the digits of large numbers in arguments', async () => {
		const args = '{"id":9007199254740993,"n":1.50,"list":[-12345678901234567890],"s":"a 1"}';
		const [call] = await callsOf(calling(named(0, 'a', 'one', args)));
		expect(call!.args).toStrictEqual({
			...{ id: '9007199254740993', n: 1.5, list: ['-12345678901234567890'], s: 'a 1' },
		});
	});

	test.each([
		['no name', { index: 0, id: 'a', function: { arguments: '{}' } }],
		['an empty name', named(0, 'a', '', '{}')],
		['no function', { index: 0, id: 'a', type: 'custom', custom: { name: 'x', input: 'y' } }],
	])('fails the whole reply when it has %s', async (_, call) => {
		const good = named(1, 'b', 'two', '{}');
		for (const calls of [[call], [call, good]]) {
			const { error } = await server.read(calling(...calls), called, done);
			expect(error!.message).toBe('The model requested a tool call that is not a function call');
			expect(error!.context).toMatchObject({ data: { outcome: 'incomplete' } });
		}
	});
});
