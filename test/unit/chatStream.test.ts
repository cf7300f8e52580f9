import fc from 'fast-check';
import { CompletionStream } from '../../nodes/SocialOpenPlatform/protocol/chat/stream';
import { damagedJson } from './damagedJson';

const chunk = (delta: object, more = {}) => ({
	...{ id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason: null, ...more }] },
});

/** Splits a text at random positions. */
const inPieces = (text: fc.Arbitrary<string>) =>
	fc.tuple(text, fc.array(fc.nat({ max: 40 }))).map(([whole, cuts]) => {
		const at = [...new Set(cuts.filter((cut) => cut < whole.length))].sort((a, b) => a - b);
		return at
			.map((from, n) => whole.slice(n === 0 ? 0 : from, at[n + 1]))
			.concat(at.length ? [] : [whole]);
	});

describe('CompletionStream', () => {
	test('joins the pieces and returns the text that each one adds', () => {
		fc.assert(
			fc.property(inPieces(fc.string({ unit: 'grapheme' })), (pieces) => {
				const stream = new CompletionStream();
				const added = pieces.map((content) => stream.add(chunk({ content })));
				expect(added).toStrictEqual(pieces);
				expect(stream.reply.text).toBe(pieces.join(''));
			}),
		);
	});

	test('joins the pieces of tool calls in any order', () => {
		const call = fc.record({
			id: fc.uuid(),
			name: fc.string({ minLength: 1 }),
			pieces: inPieces(fc.json()),
		});
		fc.assert(
			fc.property(fc.array(call, { maxLength: 4 }), fc.infiniteStream(fc.nat()), (calls, turns) => {
				const stream = new CompletionStream();
				const waiting = calls.map(({ id, name, pieces }, index) => [
					{ index, id, type: 'function', function: { name, arguments: '' } },
					...pieces.map((piece) => ({ index, function: { arguments: piece } })),
				]);
				while (waiting.some((pieces) => pieces.length > 0)) {
					const left = waiting.filter((pieces) => pieces.length > 0);
					const piece = left[turns.next().value! % left.length]!.shift();
					stream.add(chunk({ tool_calls: [piece] }));
				}
				const byId = new Map(
					stream.reply.toolCalls.map((one) => [(one as { id: string }).id, one]),
				);
				expect(byId.size).toBe(new Set(calls.map(({ id }) => id)).size);
				for (const { id, name, pieces } of calls) {
					expect(byId.get(id)).toMatchObject({ function: { name, arguments: pieces.join('') } });
				}
			}),
		);
	});

	test('reads the refusal, finish reason, usage, model and ID', () => {
		const stream = new CompletionStream();
		stream.add(chunk({ role: 'assistant', content: null, refusal: '' }));
		for (const refusal of ['I would', ' rather', ' not.']) {
			expect(stream.add(chunk({ refusal }))).toBe('');
		}
		stream.add(chunk({}, { finish_reason: 'stop' }));
		const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
		stream.add({ choices: [], usage });
		expect(stream.reply).toStrictEqual({
			...{ text: '', refusal: 'I would rather not.', finishReason: 'stop', toolCalls: [] },
			...{ usage, id: 'c1', model: 'm' },
		});
	});
});

describe('CompletionStream with unusual pieces', () => {
	test.each([
		['an index that is in use', { index: 0 }],
		['no index', {}],
	])('starts a new tool call for a new ID with %s', (_, at) => {
		const stream = new CompletionStream();
		const piece = (id: string, args: unknown) => ({ ...at, id, function: { arguments: args } });
		for (const call of [piece('a', '1'), piece('a', null), piece('b', { x: 1 }), piece('a', '2')]) {
			stream.add(chunk({ tool_calls: [call] }));
		}
		expect(stream.reply.toolCalls).toStrictEqual([
			{ id: 'a', function: { name: '', arguments: '12' } },
			{ id: 'b', function: { name: '', arguments: '{"x":1}' } },
		]);
	});

	test('accepts any piece and keeps the text of the earlier ones', () => {
		const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
		const known = [chunk({ content: 'a', tool_calls: [call] }), { choices: [], usage: { n: 1 } }];
		const piece = fc.oneof(fc.jsonValue(), damagedJson(known));
		fc.assert(
			fc.property(fc.array(piece), (pieces) => {
				const stream = new CompletionStream();
				stream.add(chunk({ content: 'Hello' }));
				const added = pieces.map((one) => stream.add(one));
				expect(stream.reply.text).toBe(['Hello', ...added].join(''));
			}),
			{ numRuns: 200 },
		);
	});
});
