import { loopback, type Loopback } from '../../loopback';
import { chat, complete } from '../harness/chats';
import { startPlatform, type Platform } from '../harness/platform';

let platform: Platform;
let server: Loopback;
afterEach(async () => {
	await server.stop();
	await platform.stop();
});

test.each([
	['{"error":{"message":"no","code":"1302"}}', 400],
	['{"success":false,"message":"no","code":"1302"}', 200],
	['{"error":{"message":"您的账户已达到速率限制","code":"x"}}', 400],
])(
	'A rate limit is recognized by a code that is text or by a message: %s',
	async (body, status) => {
		platform = await startPlatform();
		let refusals = 1;
		server = await loopback((_, response) => {
			if (refusals-- > 0) response.writeHead(status, { 'retry-after': '0' }).end(body);
			else response.end('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}');
		});
		Object.assign(platform.credential, { baseUrl: server.url, rateLimitCodes: '1302' });
		const { error, outputs } = await platform.run(chat(complete));
		expect(error).toBeUndefined();
		expect(outputs[0]![0]!.json.text).toBe('Hi');
		expect(server.received).toHaveLength(2);
	},
);

test('A chat request does not wait for the rate limit of token requests', async () => {
	platform = await startPlatform();
	server = await loopback((request, response) => {
		request.resume();
		response.writeHead(429, { 'retry-after': '60' }).end();
	});
	// This secret is not allowed in a header, so the chat request fails before it is sent.
	const credential = { baseUrl: server.url, appSecret: 'ключ-0123456789', accessToken: '' };
	Object.assign(platform.credential, credential);
	await platform.run({ options: { rateLimitWait: 0 } });
	const begun = Date.now();
	const { error } = await platform.run(chat(complete));
	expect(error!.message).toContain(
		"'App Secret' contains characters that are not allowed in an HTTP header",
	);
	expect(Date.now() - begun).toBeLessThan(5_000);
});
