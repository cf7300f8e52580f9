import { authenticateRequest } from '../../credentials/authenticate';
import { toolCallsOf } from '../../nodes/SocialOpenPlatform/chatModel/result';
import { readResponse } from '../../nodes/SocialOpenPlatform/protocol/chat/reply';
import { readSettings } from '../../nodes/SocialOpenPlatform/protocol/settings';

/** Code that takes more than linear time would block n8n for seconds at these lengths. */

const sound = { baseUrl: 'https://api.example.com', appId: 'a', appSecret: 's3cret-0123456789' };

/** The shortest of several measurements, in milliseconds. */
const timeOf = (task: () => unknown) => {
	const times = [1, 2, 3, 4, 5].map(() => {
		const started = performance.now();
		task();
		return performance.now() - started;
	});
	return Math.min(...times);
};

test('reads tool arguments that begin with many blanks quickly', () => {
	const input = `${' '.repeat(100_000)}x`;
	const toolCalls = [{ id: '1', function: { name: 'f', arguments: input } }];
	expect(timeOf(() => toolCallsOf({ text: '', finishReason: '', toolCalls }))).toBeLessThan(1000);
});

test('reads a Base URL with many slashes inside quickly', () => {
	const baseUrl = `${sound.baseUrl}${'/'.repeat(100_000)}x`;
	expect(timeOf(() => readSettings({ ...sound, baseUrl }))).toBeLessThan(1000);
});

test('joins a base URL with many slashes inside quickly', () => {
	const baseURL = `${sound.baseUrl}${'/'.repeat(100_000)}x`;
	const settings = readSettings(sound);
	expect(timeOf(() => authenticateRequest({ url: 'x', baseURL }, settings))).toBeLessThan(1000);
});

test.each(['constructor', 'toString', '__proto__'])(
	'returns the response status %s unchanged',
	(status) => {
		expect(readResponse({ output: [], status }).finishReason).toBe(status);
	},
);

test.each(['\nhttps://api.example.com/v1/responses', 'https:api.example.com/v1/responses'])(
	'adds no secret to %j with a base URL of another origin',
	(url) => {
		const options = { url, baseURL: 'https://elsewhere.example', method: 'POST' as const };
		const settings = readSettings({ ...sound, accessToken: 'token-0123456789' });
		expect(authenticateRequest(options, settings)).toStrictEqual(options);
	},
);
