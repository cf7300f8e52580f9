/** The two chat operations, and what their streams are made of. */

export const COMPLETIONS = '/v1/chat/completions';
export const RESPONSES = '/v1/responses';

export const hello = { messages: [{ role: 'user', content: 'hello there' }] };

/** The same request to either operation. */
export const asking = (path: string, stream = false) => ({
	...(path === RESPONSES ? { input: 'hello there' } : hello),
	stream,
});

/** Two calls of tools in one turn. */
export const CALLS = [
	{ name: 'post', arguments: { text: 'Grüße, 世界 🌍', tags: ['a', 'b'] } },
	{ name: 'wait', arguments: {} },
];

/** The JSON of a stream's whole data lines. */
export const dataOf = (stream: string) =>
	stream
		.split('\n\n')
		.slice(0, -1)
		.flatMap((frame) => frame.split('\n'))
		.filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
		.map((line) => JSON.parse(line.slice(6)));

/** The text that a stream has said, whichever operation's it is. */
export const saidBy = (stream: string): string =>
	dataOf(stream)
		.map(({ type, delta, choices }) =>
			type === 'response.output_text.delta' ? delta : (choices?.[0]?.delta.content ?? ''),
		)
		.join('');

/** Whether a stream has said that it is over. */
export const isOver = (stream: string): boolean =>
	/\[DONE\]|"finish_reason":"|"type":"response\.(completed|incomplete)"/.test(stream);
