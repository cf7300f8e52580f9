import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import { asking, CALLS, COMPLETIONS, dataOf } from './chat-frames';
import { splitArguments } from './chat/pieces';
import type { TestClient } from './test-client';

let emulator: Emulator;
let client: TestClient;

emulatorAroundTests((...started) => ([emulator, client] = started));

const streamed = async (more: object = {}) =>
	await client.chat(COMPLETIONS, { ...asking(COMPLETIONS, true), ...more });

describe('A streamed completion', () => {
	it('consists of pieces and ends with [DONE]', async () => {
		const { headers, text } = await streamed();
		expect(headers['content-type']).toContain('text/event-stream');
		expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
		const chunks = dataOf(text);
		expect(chunks[0].choices[0].delta).toStrictEqual({
			role: 'assistant',
			content: '',
			refusal: null,
		});
		const texts = chunks.slice(1).map(({ choices }) => choices[0].delta.content ?? '');
		expect(texts).toStrictEqual(['You', ' said:', ' hello', ' there', '']);
		expect(chunks.at(-1).choices[0].finish_reason).toBe('stop');
		expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
	});

	it('ends with the usage if it is requested', async () => {
		const asked = { stream_options: { include_usage: true } };
		const chunks = dataOf((await streamed(asked)).text);
		expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 6 } });
		expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
		expect((await streamed()).text).not.toContain('usage');
	});

	it('contains the name of each tool first, and then its arguments in pieces', async () => {
		emulator.scriptChat([{ content: 'On it.', tool_calls: CALLS }]);
		const chunks = dataOf((await streamed()).text);
		const calls = chunks.flatMap(({ choices }) => choices[0].delta.tool_calls ?? []);
		for (const [index, { name, arguments: args }] of CALLS.entries()) {
			const [first, ...rest] = calls.filter((call) => call.index === index);
			const id = expect.stringMatching(/^call_/);
			expect(first).toStrictEqual({
				index,
				id,
				type: 'function',
				function: { name, arguments: '' },
			});
			expect(rest.length).toBeGreaterThan(1);
			expect(rest.every((call) => call.id === undefined && !call.function.name)).toBe(true);
			const whole = rest.map((call) => call.function.arguments).join('');
			expect(JSON.parse(whole)).toStrictEqual(args);
		}
		expect(new Set(calls.flatMap(({ id }) => id ?? [])).size).toBe(2);
		expect(chunks.at(-1).choices[0].finish_reason).toBe('tool_calls');
	});

	it('contains a refusal in pieces and no content', async () => {
		emulator.scriptChat([{ refusal: 'I will not say that.' }]);
		const deltas = dataOf((await streamed()).text).map(({ choices }) => choices[0]);
		expect(deltas[0].delta).toStrictEqual({ role: 'assistant', content: null, refusal: '' });
		expect(deltas.map(({ delta }) => delta.refusal ?? '').join('')).toBe('I will not say that.');
		expect(deltas.some(({ delta }) => delta.content)).toBe(false);
		expect(deltas.at(-1).finish_reason).toBe('stop');
	});

	it('can arrive in chunks that end in the middle of a frame', async () => {
		const { text, chunks, broken } = await client.measureChat(
			COMPLETIONS,
			asking(COMPLETIONS, true),
		);
		expect(broken).toBe(false);
		expect(chunks).toBeGreaterThan(1);
		expect(dataOf(text)).toHaveLength(6);
	});
});

describe('Arguments in pieces', () => {
	it.each(['', '1', '{}', '{"a":"b"}', '{"text":"🌍🌍🌍 and a long text of many words"}'])(
		'make up %j when they are joined, and are incomplete individually',
		(text) => {
			const parts = splitArguments(text);
			expect(parts.join('')).toBe(text);
			expect(parts.length).toBe(text.length < 2 ? text.length : Math.max(2, parts.length));
		},
	);
});
