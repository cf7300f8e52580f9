import { authenticateRequest } from '../../credentials/authenticate';
import { toolCallsOf } from '../../nodes/SocialOpenPlatform/chatModel/result';
import { readResponse } from '../../nodes/SocialOpenPlatform/protocol/chat/reply';
import { formOf } from '../../nodes/SocialOpenPlatform/protocol/webhook/sortedFields';
import { readSettings } from '../../nodes/SocialOpenPlatform/protocol/settings';

/** What takes more than linear time takes seconds at these lengths, and n8n stands still meanwhile. */

const sound = { baseUrl: 'https://api.example.com', appId: 'a', appSecret: 's3cret-0123456789' };

/** The shortest of some tries, in milliseconds: what the deed takes where nothing else is in the way. */
const timeOf = (deed: () => unknown) => {
	const tries = [1, 2, 3, 4, 5].map(() => {
		const started = performance.now();
		deed();
		return performance.now() - started;
	});
	return Math.min(...tries);
};

test('Arguments of a tool that begin with many blanks are read at once', () => {
	const input = `${' '.repeat(100_000)}x`;
	const toolCalls = [{ id: '1', function: { name: 'f', arguments: input } }];
	expect(timeOf(() => toolCallsOf({ text: '', finishReason: '', toolCalls }))).toBeLessThan(1000);
});

test('A Base URL with many slashes in its middle is read at once', () => {
	const baseUrl = `${sound.baseUrl}${'/'.repeat(100_000)}x`;
	expect(timeOf(() => readSettings({ ...sound, baseUrl }))).toBeLessThan(1000);
});

test('A base with many slashes in its middle is joined at once', () => {
	const baseURL = `${sound.baseUrl}${'/'.repeat(100_000)}x`;
	const settings = readSettings(sound);
	expect(timeOf(() => authenticateRequest({ url: 'x', baseURL }, settings))).toBeLessThan(1000);
});

test('The names of very many fields are counted before they are put in order', () => {
	const body = `{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join()}}`;
	const parsing = timeOf(() => JSON.parse(body));
	const reading = timeOf(() => formOf(JSON.parse(body))?.(sound.appSecret));
	expect(reading).toBeLessThan(4 * parsing);
});

test.each(['constructor', 'toString', '__proto__'])(
	'A response whose status is the word %s ends with that word',
	(status) => {
		expect(readResponse({ output: [], status }).finishReason).toBe(status);
	},
);

test.each(['\nhttps://api.example.com/v1/responses', 'https:api.example.com/v1/responses'])(
	'Beside a base elsewhere, %j gets no secret: clients differ over where it leads',
	(url) => {
		const options = { url, baseURL: 'https://elsewhere.example', method: 'POST' as const };
		const settings = readSettings({ ...sound, accessToken: 'token-0123456789' });
		expect(authenticateRequest(options, settings)).toStrictEqual(options);
	},
);
