import { event, startTrigger, type TriggerPlatform } from './triggerPlatform';

let platform: TriggerPlatform;
const start = async (options: object) => {
	platform = await startTrigger({ options: options as never });
};
afterEach(async () => await platform.stop());

test('Include Raw Payload adds the body as it was signed, to each event', async () => {
	await start({ includeRawPayload: true });
	const raw = '{ "events": [ {"status":"failed"},\n{"status":"已发布"} ] }';
	await platform.deliver(raw);
	expect(platform.items().map((item) => item.raw_payload)).toEqual([raw, raw]);
	expect(platform.items()[0]).not.toHaveProperty('headers');
});

test('Include Headers adds the headers, but none that open doors', async () => {
	await start({ includeHeaders: true });
	const headers = {
		Authorization: 'Bearer of-a-proxy',
		'Proxy-Authorization': 'Basic of-a-proxy',
		Cookie: 'session=of-a-proxy',
		'X-Request-Id': 'r1',
		'Cookie-Consent': 'given',
	};
	await platform.deliver(event(), { headers });
	const [item] = platform.items();
	expect(item!.headers).toMatchObject({
		'content-type': 'application/json',
		'x-request-id': 'r1',
		'cookie-consent': 'given',
		'x-webhook-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
	});
	expect(JSON.stringify(item)).not.toContain('of-a-proxy');
	expect(item).not.toHaveProperty('raw_payload');
});

test('Neither is there unless it is asked for', async () => {
	await start({});
	await platform.deliver();
	expect(Object.keys(platform.items()[0]!)).toEqual([
		...['event_id', 'action_sn', 'social_post_id', 'status', 'platform'],
		...['outcome', 'final', 'received_at', 'payload'],
	]);
});

test('What a delivery echoes of the App Secret and the access token is taken out', async () => {
	await start({ includeRawPayload: true, includeHeaders: true });
	const { appSecret } = platform.emulator;
	platform.credential.accessToken = 'token_0123456789';
	const echo = event({
		status: 'failed',
		message: `not ${appSecret}`,
		token: 'token_0123456789',
		encoded: Buffer.from(appSecret).toString('base64'),
		[appSecret]: 'a key',
	});
	await platform.deliver(echo, { headers: { 'X-Echo': appSecret } });
	const [item] = platform.items();
	expect(item).toMatchObject({
		message: 'not [redacted]',
		payload: { data: { token: '[redacted]', encoded: '[redacted]', '[redacted]': 'a key' } },
		headers: { 'x-echo': '[redacted]' },
	});
	const text = JSON.stringify(item);
	expect(text).not.toContain(appSecret);
	expect(text).not.toContain('token_0123456789');
});
