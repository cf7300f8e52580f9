import { called, calling, delta, done, event, stop, useEventServer } from '../harness/eventServer';

const server = useEventServer();

test('A stream may contain any line endings, comments, fields and extra spaces', async () => {
	const lines = [
		...[': keep-alive', '', 'event: message', 'id: 7', 'retry: 10'],
		...[delta({ role: 'assistant', content: '' }).trim(), '', ':', ''],
		...[delta({ content: 'One' }).replace('data: ', 'data:').trim(), ''],
		...[delta({ content: ' two' }).trim(), '', stop.trim(), '', 'data: [DONE]', '', ''],
	];
	for (const end of ['\n', '\r\n']) {
		const { texts, error } = await server.read(lines.join(end));
		expect(error).toBeUndefined();
		expect(texts).toStrictEqual(['One', ' two']);
	}
});

test('A stream may be split at any byte, even within a character', async () => {
	const bytes = Buffer.from(
		delta({ content: '发布 😀' }) + delta({ content: ' né' }) + stop + done,
	);
	for (const size of [1, 2, 3, 7]) {
		const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
			bytes.subarray(n * size, (n + 1) * size),
		);
		expect((await server.read(...parts)).texts).toStrictEqual(['发布 😀', ' né']);
	}
});

test.each([
	['with only [DONE]', [delta({ content: 'Hi' }), done]],
	['with only a finish reason', [delta({ content: 'Hi' }), stop]],
	[
		'with usage after the finish reason',
		[delta({ content: 'Hi' }), stop, event({ usage: {}, choices: [] })],
	],
	['without a line break', [delta({ content: 'Hi' }), stop, 'data: [DONE]']],
	['with the finish reason in the last piece of text', [delta({ content: 'Hi' }, 'stop')]],
])('A stream may end %s', async (_, pieces) => {
	const { texts, error } = await server.read(...pieces);
	expect(error).toBeUndefined();
	expect(texts).toStrictEqual(['Hi']);
});

test.each([
	['before its first event', []],
	['after an empty first event', [delta({ role: 'assistant', content: '' })]],
	['after some text', [delta({ content: 'Half' })]],
	['within an event', [delta({ content: 'Half' }), 'data: {"choices":[{"del']],
	[
		'within a tool call',
		[calling({ index: 0, id: 'a', function: { name: 'f', arguments: '{"a' } })],
	],
])('A stream that ends %s fails', async (_, pieces) => {
	const { error } = await server.read(...pieces);
	expect(error!.message).toMatch(
		/^No usable response to the chat request: (the answer was cut off in the middle|a part of the answer is not a JSON object)$/,
	);
	expect(error!.context).toMatchObject({ data: { outcome: 'unknown' } });
});

describe('Streamed tool calls', () => {
	const part = (index: number, args: string, more = {}, name?: string) => ({
		...{ index, ...more, function: { ...(name && { name }), arguments: args } },
	});

	test('are joined from alternating pieces', async () => {
		const { answer, error } = await server.read(
			calling(part(0, '', { id: 'a', type: 'function' }, 'one')),
			calling(part(1, '', { id: 'b', type: 'function' }, 'two')),
			calling(part(1, '{"y":'), part(0, '{"x"')),
			calling(part(0, ':"发"}'), part(1, '[1]}')),
			...[called, done],
		);
		expect(error).toBeUndefined();
		expect(answer!.tool_calls).toMatchObject([
			{ id: 'a', name: 'one', args: { x: '发' } },
			{ id: 'b', name: 'two', args: { y: [1] } },
		]);
	});

	test('are kept separate when the platform sends no IDs', async () => {
		const { answer, error } = await server.read(
			calling(part(0, '{"x":1}', {}, 'one')),
			calling(part(1, '{"y":2}', {}, 'two')),
			...[called, done],
		);
		expect(error).toBeUndefined();
		expect(answer!.tool_calls).toMatchObject([
			{ name: 'one', args: { x: 1 } },
			{ name: 'two', args: { y: 2 } },
		]);
	});

	test('are kept separate when the platform sends no indexes', async () => {
		const { answer, error } = await server.read(
			calling({ id: 'a', function: { name: 'one', arguments: '{"x":' } }),
			calling({ function: { arguments: '1}' } }),
			calling({ id: 'b', function: { name: 'two', arguments: '{"y":2}' } }),
			...[called, done],
		);
		expect(error).toBeUndefined();
		expect(answer!.tool_calls).toMatchObject([
			{ id: 'a', name: 'one', args: { x: 1 } },
			{ id: 'b', name: 'two', args: { y: 2 } },
		]);
	});

	test.each(['', ' ', 'null', '{}'])(
		'have no arguments when the platform sends none: "%s"',
		async (args) => {
			const { answer } = await server.read(
				calling(part(0, args, { id: 'a' }, 'one')),
				called,
				done,
			);
			expect(answer!.tool_calls).toMatchObject([{ id: 'a', name: 'one', args: {} }]);
		},
	);

	test.each(['{"x":', 'x', '5', '[1]'])('fail with invalid arguments: %s', async (args) => {
		const { error } = await server.read(calling(part(0, args, { id: 'a' }, 'one')), called, done);
		expect(error!.message).toBe(
			"The model called the tool 'one' with arguments that are not a JSON object",
		);
		expect(error!.context).toMatchObject({ data: { outcome: 'incomplete' } });
	});
});

test('A stream may contain unknown events and fields', async () => {
	const { texts, error } = await server.read(
		event({ type: 'ping' }),
		event({ choices: null }),
		event({ choices: [{ delta: null }] }),
		event({ choices: [{ delta: { content: 7, tool_calls: 'x' } }] }),
		delta({ content: 'Hi', reasoning_content: 'hm' }),
		...[stop, done],
	);
	expect(error).toBeUndefined();
	expect(texts).toStrictEqual(['Hi']);
});
