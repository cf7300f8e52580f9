import fc from 'fast-check';
import {
	readCompletion,
	readResponse,
	whyIncomplete,
} from '../../nodes/SocialOpenPlatform/protocol/chat/reply';
import { spoiledJson } from './spoiledJson';

const message = (parts: object) => ({ choices: [{ finish_reason: 'stop', message: parts }] });
const said = (...content: unknown[]) => ({ type: 'message', role: 'assistant', content });
const outputText = (text: unknown) => ({ type: 'output_text', text });

const whole = [
	{
		...{ id: 'c', model: 'm', usage: { total_tokens: 1 } },
		choices: [
			{
				finish_reason: 'stop',
				message: {
					content: [{ type: 'text', text: 'a' }],
					refusal: null,
					tool_calls: [{ id: '1' }],
				},
			},
		],
	},
	{
		...{ id: 'r', model: 'm', usage: { total_tokens: 1 }, status: 'completed' },
		incomplete_details: { reason: 'max_output_tokens' },
		output: [said(outputText('a'), { type: 'refusal', refusal: 'b' }), { type: 'function_call' }],
	},
];

describe.each([
	['completion', readCompletion],
	['response', readResponse],
])('Any JSON as a %s', (_, read) => {
	test('is read and checked without an exception', () => {
		fc.assert(
			fc.property(spoiledJson(whole), (json) => {
				const reply = read(json);
				expect(typeof reply.text).toBe('string');
				expect(typeof reply.finishReason).toBe('string');
				expect(Array.isArray(reply.toolCalls)).toBe(true);
				whyIncomplete(reply);
			}),
			{ numRuns: 1000 },
		);
	});
});

describe('Every text is read', () => {
	const noise = fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.constant({ type: 'x' }));
	const texts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), noise));
	const partsOf = (all: unknown[]) => all.map((one) => outputText(one));
	const joined = (all: unknown[]) => all.filter((one) => typeof one === 'string').join('');

	test('from the parts of a completion, beside any other parts', () => {
		fc.assert(
			fc.property(texts, (all) => {
				expect(readCompletion(message({ content: partsOf(all) })).text).toBe(joined(all));
			}),
		);
	});

	test('from the messages of a response, beside any other items', () => {
		fc.assert(
			fc.property(fc.array(fc.oneof(texts, noise)), (items) => {
				const output = items.map((item) => (Array.isArray(item) ? said(...partsOf(item)) : item));
				const expected = joined(items.filter((item) => Array.isArray(item)).map(joined));
				expect(readResponse({ output }).text).toBe(expected);
			}),
		);
	});
});
