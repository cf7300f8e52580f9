import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';
import { withToken } from '../../storedToken';

let platform: TriggerPlatform;
const start = async (options: object) => {
	platform = await startTrigger({ options: options as never });
};
afterEach(async () => await platform.stop());

describe('Include Headers', () => {
	const headersOf = async (headers: Record<string, string>, options = {}) => {
		await platform.deliver(event(), { headers, ...options });
		return platform.items().at(-1)!.headers as Record<string, string>;
	};

	test('adds the headers with the ID, the time and the content type of a delivery', async () => {
		await start({ includeHeaders: true });
		const sent = {
			'content-type': 'application/json',
			'user-agent': 'platform/1.0',
			'x-request-id': 'r1',
			'x-correlation-id': 'c1',
			'x-amzn-trace-id': 'Root=1',
			'idempotency-key': 'i1',
			traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
			'x-platform-event': 'post.failed',
			'x-webhook-topic': 'posts',
			'x-delivery-id': 'd1',
			'x-webhook-delivery': 'd1',
			'x-delivery-attempt': '2',
			'x-attempt': '2',
			'x-retry': '1',
			'x-platform-timestamp': '1700000000',
		};
		expect(await headersOf(sent)).toMatchObject({
			...sent,
			host: expect.stringMatching(/^127\.0\.0\.1:/),
			'content-length': expect.stringMatching(/^\d+$/),
		});
	});

	test('omits other headers, such as the credentials of a proxy', async () => {
		await start({ includeHeaders: true });
		const names = [
			...['Authorization', 'Proxy-Authorization', 'X-Forwarded-Authorization', 'Cookie'],
			...['X-Original-Cookie', 'X-Forwarded-Access-Token', 'X-Api-Key', 'X-Auth-Request-Email'],
			...['Cf-Access-Jwt-Assertion', 'X-Amzn-Oidc-Data', 'X-Webhook-Token', 'X-Webhook-Secret'],
			...['X-Event-Token', 'X-Delivery-Key', 'X-Forwarded-For', 'X-Ms-Client-Principal', 'Baggage'],
			'X-Signature',
		];
		const proxyHeaders = Object.fromEntries(names.map((name) => [name, 'of-a-proxy']));
		const headers = await headersOf(proxyHeaders);
		expect(JSON.stringify(platform.items())).not.toContain('of-a-proxy');
		for (const name of names) expect(headers).not.toHaveProperty(name.toLowerCase());
	});

	test('omits Authorization when it contains the signature', async () => {
		await start({ includeHeaders: true });
		const recipe = { signatureHeader: 'Authorization' };
		Object.assign(platform.credential, { signatureRecipe: 'custom', ...recipe });
		expect(await headersOf({}, { recipe })).not.toHaveProperty('authorization');
	});
});

test('The output contains no headers by default', async () => {
	await start({});
	await platform.deliver();
	expect(Object.keys(platform.items()[0]!)).toEqual([
		...['event_id', 'action_sn', 'social_post_id', 'status', 'platform'],
		...['outcome', 'final', 'received_at', 'payload'],
	]);
});

test('The App Secret and the access token are redacted in the output', async () => {
	await start({ includeHeaders: true });
	const { appSecret } = platform.emulator;
	withToken(platform.credential, 'token_0123456789');
	const payload = event({
		status: 'failed',
		message: `not ${appSecret}`,
		token: 'token_0123456789',
		encoded: Buffer.from(appSecret).toString('base64'),
		[appSecret]: 'a key',
	});
	await platform.deliver(payload, { headers: { 'X-Request-Id': appSecret } });
	const [item] = platform.items();
	expect(item).toMatchObject({
		message: 'not [redacted]',
		payload: { data: { token: '[redacted]', encoded: '[redacted]', '[redacted]': 'a key' } },
		headers: { 'x-request-id': '[redacted]' },
	});
	const text = JSON.stringify(item);
	expect(text).not.toContain(appSecret);
	expect(text).not.toContain('token_0123456789');
});
