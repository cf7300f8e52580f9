import { event, startTrigger, type TriggerPlatform } from './triggerPlatform';

let platform: TriggerPlatform;
beforeEach(async () => {
	platform = await startTrigger();
});
afterEach(async () => await platform.stop());

const ok = (body: object) => ({ status: 200, body: { ok: true, ...body } });
const later = { status: 503, body: { ok: false, error: 'try-again-later' } };

describe('A delivery that is believed', () => {
	test('is answered with 200, and with what became of it', async () => {
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(ok({ result: 'accepted', events: 1 }));
		expect(await platform.deliver(payload)).toEqual(ok({ result: 'duplicate' }));
		platform.host.node.parameters.events = ['failed'];
		expect(await platform.deliver(event())).toEqual(ok({ result: 'ignored' }));
	});

	test('but is no JSON is answered with 400', async () => {
		const headers = { 'Content-Type': 'text/plain' };
		for (const body of ['status=published', '"published"', 'null', '[1]']) {
			expect(await platform.deliver(body, { headers })).toEqual({
				status: 400,
				body: {
					ok: false,
					error: 'not-json',
					message: 'The body is signed but is no JSON object or list of them.',
				},
			});
		}
		expect(platform.host.executions).toEqual([]);
	});

	test('is answered once the execution is stored, not before', async () => {
		let isStored = false;
		platform.host.storing = async () => {
			await new Promise((resolve) => setTimeout(resolve, 30));
			expect(platform.host.told).toEqual([]);
			isStored = true;
		};
		expect(await platform.deliver()).toMatchObject({ status: 200 });
		expect(isStored).toBe(true);
	});
});

describe('A delivery that is not believed is answered with 401 and its reason:', () => {
	const refused = async (reason: string, message: RegExp, ...sent: Parameters<typeof deliver>) => {
		expect(await deliver(...sent)).toEqual({
			status: 401,
			body: { ok: false, error: reason, message: expect.stringMatching(message) },
		});
		expect(platform.host.executions).toEqual([]);
	};
	const deliver: TriggerPlatform['deliver'] = async (payload, options) =>
		await platform.deliver(payload, options);
	const use = (name: string) => Object.assign(platform.credential, { signatureRecipe: name });
	const minutes = 60_000;

	test('no signature', async () => {
		for (const text of [undefined, '']) {
			const headers = { 'X-Webhook-Signature': text };
			const message = /^The header X-Webhook-Signature is missing\.$/;
			await refused('missing-signature', message, event(), { headers });
		}
	});

	test('a signature that is none', async () => {
		const headers = { 'X-Webhook-Signature': 'sha256=none' };
		await refused('unreadable-signature', /holds no SHA256 digest\.$/, event(), { headers });
	});

	test('a signature of another secret, or of another body', async () => {
		const message = /^The signature does not match\.$/;
		await refused('wrong-signature', message, event(), { secret: 'another' });
		await platform.deliver();
		platform.host.executions.length = 0;
		const { headers } = platform.emulator.deliveries.at(-1)!;
		await refused('wrong-signature', message, event({ status: 'failed' }), { headers });
	});

	test('no time, a time that is none, or one too far from now', async () => {
		use('timestampBody');
		const at = (text?: string) => ({
			recipe: 'timestampBody' as const,
			headers: { 'X-Webhook-Timestamp': text },
		});
		await refused('missing-timestamp', /X-Webhook-Timestamp.*is missing/, event(), at());
		await refused('unreadable-timestamp', /is not a time/, event(), at('yesterday'));
		const old = { recipe: 'timestampBody' as const, timestamp: Date.now() - 6 * minutes };
		await refused('stale-timestamp', /is 36[01] seconds old; 300 are allowed/, event(), old);
	});

	test('no id', async () => {
		use('standardWebhooks');
		const headers = { 'X-Webhook-Id': undefined };
		const options = { recipe: 'standardWebhooks' as const, headers };
		await refused('missing-id', /X-Webhook-Id.*missing/, event(), options);
	});

	test('no nonce', async () => {
		Object.assign(use('custom'), { signedContent: '{nonce}{body}' });
		const headers = { 'X-Webhook-Nonce': undefined };
		const options = { recipe: { template: '{nonce}{body}' }, headers };
		await refused('missing-nonce', /X-Webhook-Nonce.*missing/, event(), options);
	});

	test('no fields to sign', async () => {
		use('sortedFields');
		const headers = { 'X-Webhook-Signature': '0'.repeat(32) };
		const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
		for (const body of ['[]', deep]) {
			await refused('no-fields', /is not a JSON object/, body, { headers });
		}
	});
});

describe('What the trigger cannot judge is put off with 503', () => {
	const refuses = async () => {
		expect(await platform.deliver()).toEqual(later);
		expect(platform.host.executions).toEqual([]);
	};

	test('when the credential cannot be read', async () => {
		platform.store.reading = () => {
			throw new Error('The database is away');
		};
		await refuses();
	});

	test('when the node has none', async () => {
		platform.host.node.credentials = {};
		await refuses();
	});

	test('when the credential cannot be used', async () => {
		platform.credential.appSecret = '';
		await refuses();
	});

	test('when a parameter cannot be used', async () => {
		platform.host.node.parameters.events = [];
		await refuses();
		platform.host.node.parameters.events = '={{ $json.missing.deeper }}';
		await refuses();
	});
});
