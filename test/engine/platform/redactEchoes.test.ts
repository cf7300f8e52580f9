import type { ServerResponse, IncomingMessage } from 'node:http';
import { loopback, type Loopback } from '../../loopback';
import { chat, complete } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { withToken } from '../../storedToken';

const platform = usePlatform();
let server: Loopback;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeEach(async () => {
	server = await loopback((request, response) =>
		request.resume().on('end', () => answer(request, response)),
	);
	Object.assign(platform.credential, { baseUrl: server.url });
});
afterEach(async () => await server.stop());

const TOKEN = 'tok-PLAINTEXT-of-the-token-0123456789-abcdef-0123456789-abcdef-xyz';
/** Returns a Boolean, because a failed comparison of whole executions would print several pages. */
const contains = (left: unknown, text: string) => JSON.stringify(left).includes(text);
const isToken = (request: IncomingMessage) => /token/i.test(request.url!);
const json = (response: ServerResponse, body: unknown, status = 200, headers = {}) =>
	response.writeHead(status, headers).end(JSON.stringify(body));

describe('An access token that the token endpoint repeats', () => {
	const short = TOKEN.slice(0, 36);
	test.each<[string, string, object, object]>([
		['where the message is shortened', TOKEN, { message: 'x'.repeat(270) + TOKEN }, {}],
		['in a long Retry-After', TOKEN, {}, { 'retry-after': TOKEN }],
		['in Retry-After', short, {}, { 'retry-after': short }],
		['in the code', TOKEN, { code: 'c'.repeat(10) + TOKEN }, {}],
	])('is redacted %s', async (_, token, refusal, headers) => {
		withToken(platform.credential, token);
		const body = { success: false, code: 10010, message: 'm', ...refusal };
		answer = (request, response) =>
			isToken(request)
				? json(response, body, 'retry-after' in headers ? 429 : 200, headers)
				: json(response, { success: false, code: 1001, message: 'expired' });
		const { run } = await platform.run({ options: { rateLimitWait: 0 } });
		expect(contains(run, token.slice(0, 20))).toBe(false);
	});
});

describe('A secret that consists of digits', () => {
	const digits = '123456789012';
	beforeEach(() => withToken(platform.credential, TOKEN, { appSecret: digits }));

	test('is redacted as a number in data', async () => {
		answer = (_, response) =>
			json(response, { success: true, code: 200, data: { seen: Number(digits) } });
		const { run } = await platform.run({ options: { rateLimitWait: 0 } });
		expect(contains(run, digits)).toBe(false);
	});

	test('is redacted as an error code', async () => {
		answer = (_, response) => json(response, { success: false, code: digits, message: 'm' });
		const { run } = await platform.run({ options: { rateLimitWait: 0 } });
		expect(contains(run, digits)).toBe(false);
	});

	test('is redacted as a number in a chat response', async () => {
		answer = (_, response) =>
			json(response, {
				choices: [{ message: { content: 'a' }, finish_reason: 'stop' }],
				usage: { total_tokens: Number(digits) },
			});
		const { run } = await platform.run(chat(complete));
		expect(contains(run, digits)).toBe(false);
	});
});

describe("A new token in n8n's error message", () => {
	test('is redacted where the message is shortened', async () => {
		answer = (_, response) =>
			json(response, { success: true, code: 200, data: { access_token: TOKEN } });
		platform.store.updateCredentials = async () => {
			throw new Error(`${'x'.repeat(270)}${TOKEN}`);
		};
		const { run } = await platform.run({ options: { rateLimitWait: 0 } });
		expect(contains(run, TOKEN.slice(0, 20))).toBe(false);
	});

	test('is redacted in the whole message', async () => {
		answer = (_, response) =>
			json(response, { success: true, code: 200, data: { access_token: TOKEN } });
		platform.store.updateCredentials = async (_details, _type, data) => {
			throw new Error(`cannot store ${JSON.stringify(data)}`);
		};
		const { run } = await platform.run({ options: { rateLimitWait: 0 } });
		expect(contains(run, TOKEN.slice(0, 20))).toBe(false);
	});
});
