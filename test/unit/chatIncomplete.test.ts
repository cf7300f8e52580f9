import { whyIncomplete, type ChatReply } from '../../nodes/SocialOpenPlatform/protocol/chat/reply';

describe('whyIncomplete', () => {
	const reply: ChatReply = { text: 'Hello', finishReason: 'stop', toolCalls: [] };

	test.each([
		['The model refused to answer: “No.”', { refusal: 'No.' }],
		['The model refused to answer: “No.”', { refusal: 'No.', finishReason: 'length' }],
		['The model refused to answer', { finishReason: 'refusal' }],
		["The platform's content filter stopped the answer", { finishReason: 'content_filter' }],
		['The answer was cut off at the token limit', { finishReason: 'length' }],
		['The answer was cut off at the token limit', { finishReason: 'length', text: '' }],
		['The answer is empty', { text: '' }],
		['The answer is empty', { text: ' \n\t' }],
		['The answer is empty', { text: '', finishReason: '' }],
		['The answer is empty (it ended with “queued”)', { text: '', finishReason: 'queued' }],
	])('reports %s', (expected, change) => {
		expect(whyIncomplete({ ...reply, ...change })).toMatchObject({
			message: expected,
			advice: expect.stringMatching(/^[A-Z].*\.$/),
		});
	});

	test.each([
		[{}],
		[{ finishReason: '' }],
		[{ finishReason: 'end_turn' }],
		[{ finishReason: 'stop_sequence' }],
		[{ finishReason: 'eos' }],
		[{ text: '', toolCalls: [{}], finishReason: 'tool_calls' }],
		[{ text: '', toolCalls: [{}], finishReason: 'function_call' }],
		[{ text: '', toolCalls: [{}] }],
		[{ refusal: '' }],
	])('accepts a complete reply: %j', (change) => {
		expect(whyIncomplete({ ...reply, ...change })).toBeUndefined();
	});

	test.each([
		...['network_error', 'aborted', 'sensitive', 'insufficient_system_resource', 'tool_use'],
		...['max_tokens', 'incomplete', 'in_progress', 'queued', 'cancelled', 'failed', 'STOP', 'x'],
	])('reports every other finish reason: %s', (finishReason) => {
		for (const change of [{}, { toolCalls: [{}] }, { text: '', toolCalls: [{}] }]) {
			expect(whyIncomplete({ ...reply, ...change, finishReason })).toMatchObject({
				message: `The answer may be incomplete: it ended with “${finishReason}”`,
				advice: 'Send the request again.',
			});
		}
	});

	test('shortens a long refusal', () => {
		const { message: told } = whyIncomplete({ ...reply, refusal: 'x'.repeat(5000) })!;
		expect(told.length).toBeLessThan(400);
	});
});
