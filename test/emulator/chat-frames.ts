/** Requests to the two chat operations, and functions that read their streams. */

export const COMPLETIONS = '/v1/chat/completions';
export const RESPONSES = '/v1/responses';

export const hello = { messages: [{ role: 'user', content: 'hello there' }] };

/** Returns the body of the same request for either operation. */
export const asking = (path: string, stream = false) => ({
	...(path === RESPONSES ? { input: 'hello there' } : hello),
	stream,
});

/** Two tool calls of one turn. */
export const CALLS = [
	{ name: 'post', arguments: { text: 'Grüße, 世界 🌍', tags: ['a', 'b'] } },
	{ name: 'wait', arguments: {} },
];

/** Returns the JSON of all complete data lines of a stream. */
export const dataOf = (stream: string) =>
	stream
		.split('\n\n')
		.slice(0, -1)
		.flatMap((frame) => frame.split('\n'))
		.filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
		.map((line) => JSON.parse(line.slice(6)));

/** Returns the text of a stream of either operation. */
export const textIn = (stream: string): string =>
	dataOf(stream)
		.map(({ type, delta, choices }) =>
			type === 'response.output_text.delta' ? delta : (choices?.[0]?.delta.content ?? ''),
		)
		.join('');

/** Whether a stream contains its end. */
export const isOver = (stream: string): boolean =>
	/\[DONE\]|"finish_reason":"|"type":"response\.(completed|incomplete)"/.test(stream);
