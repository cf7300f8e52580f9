import fc from 'fast-check';
import {
	readCompletion,
	readResponse,
	whyIncomplete,
} from '../../../nodes/SocialOpenPlatform/chat/reply';
import { damagedJson } from '../platform/damagedJson';

const message = (parts: object) => ({ choices: [{ finish_reason: 'stop', message: parts }] });
const messageItem = (...content: unknown[]) => ({ type: 'message', role: 'assistant', content });
const outputText = (text: unknown) => ({ type: 'output_text', text });

const completeReplies = [
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
		output: [
			messageItem(outputText('a'), { type: 'refusal', refusal: 'b' }),
			{ type: 'function_call' },
		],
	},
];

describe.each([
	['readCompletion', readCompletion],
	['readResponse', readResponse],
])('%s with any JSON', (_, read) => {
	test('returns a reply and never throws', () => {
		fc.assert(
			fc.property(damagedJson(completeReplies), (json) => {
				const reply = read(json);
				expect(typeof reply.text).toBe('string');
				expect(typeof reply.finishReason).toBe('string');
				expect(Array.isArray(reply.toolCalls)).toBe(true);
				whyIncomplete(reply);
			}),
			{ numRuns: 200 },
		);
	});
});

describe('The text of a reply', () => {
	const noise = fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.constant({ type: 'x' }));
	const texts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), noise));
	const partsOf = (all: unknown[]) => all.map((one) => outputText(one));
	const joined = (all: unknown[]) => all.filter((one) => typeof one === 'string').join('');

	test('contains all text parts of a completion and nothing else', () => {
		fc.assert(
			fc.property(texts, (all) => {
				expect(readCompletion(message({ content: partsOf(all) })).text).toBe(joined(all));
			}),
		);
	});

	test('contains the texts of all messages of a response and nothing else', () => {
		fc.assert(
			fc.property(fc.array(fc.oneof(texts, noise)), (items) => {
				const output = items.map((item) =>
					Array.isArray(item) ? messageItem(...partsOf(item)) : item,
				);
				const texts = items.filter((item) => Array.isArray(item)).map(joined);
				const expected = texts.filter(Boolean).join('\n\n');
				expect(readResponse({ output }).text).toBe(expected);
			}),
		);
	});
});
