import { event, useTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const platform = useTrigger();

const ok = (body: object) => ({ status: 200, body: { ok: true, ...body } });
const tryAgainLater = { status: 503, body: { ok: false, error: 'try-again-later' } };

describe('The response to a verified delivery', () => {
	test('has the status 200 and the result accepted, duplicate or ignored', async () => {
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(ok({ result: 'accepted', events: 1 }));
		expect(await platform.deliver(payload)).toEqual(ok({ result: 'duplicate' }));
		platform.host.node.parameters.events = ['failed'];
		expect(await platform.deliver(event())).toEqual(ok({ result: 'ignored' }));
	});

	test('has the status 400 when the body is not JSON', async () => {
		const headers = { 'Content-Type': 'text/plain' };
		for (const body of ['status=published', '"published"', 'null', '[1]']) {
			expect(await platform.deliver(body, { headers })).toEqual({
				status: 400,
				body: {
					ok: false,
					error: 'not-json',
					message: 'The body is signed, but is not a JSON object or a list of JSON objects.',
				},
			});
		}
		expect(platform.host.executions).toEqual([]);
	});

	test('has the status 400 when there are more than 1,000 events', async () => {
		const list = (count: number) =>
			Array.from({ length: count }, (_, n) => ({ id: n, status: 'failed' }));
		expect(await platform.deliver(list(1_001))).toEqual({
			status: 400,
			body: {
				ok: false,
				error: 'too-many-events',
				message:
					'The delivery contains more than 1,000 events. Ask the platform to send fewer at a time.',
			},
		});
		expect(platform.host.executions).toEqual([]);
		expect(await platform.deliver(list(1_000))).toEqual(ok({ result: 'accepted', events: 1_000 }));
	});

	test('is sent after the execution was stored', async () => {
		let isStored = false;
		platform.host.storing = async () => {
			await new Promise((resolve) => setTimeout(resolve, 30));
			expect(platform.host.responses).toEqual([]);
			isStored = true;
		};
		expect(await platform.deliver()).toMatchObject({ status: 200 });
		expect(isStored).toBe(true);
	});
});

describe('A delivery that is refused with 401', () => {
	const refused = async (reason: string, message: RegExp, ...sent: Parameters<typeof deliver>) => {
		const before = platform.warnings().length;
		expect(await deliver(...sent)).toEqual({ status: 401, body: { ok: false, error: 'refused' } });
		expect(platform.host.executions).toEqual([]);
		const [line, ...more] = platform.warnings().slice(before);
		// Each reason is logged only once a minute.
		const [, said] = new RegExp(`refused \\(${reason}\\): (.*)`).exec(line ?? '') ?? [];
		if (line !== undefined) expect(said).toMatch(message);
		expect(more).toEqual([]);
		logged.add(said === undefined ? '' : reason);
		expect(logged).toContain(reason);
	};
	const logged = new Set<string>();
	beforeEach(() => logged.clear());
	const deliver: TriggerPlatform['deliver'] = async (payload, options) =>
		await platform.deliver(payload, options);
	const use = (name: string) => Object.assign(platform.credential, { signatureRecipe: name });
	const minutes = 60_000;

	test('is logged with the reason that the signature is missing', async () => {
		for (const text of [undefined, '']) {
			const headers = { 'X-Webhook-Signature': text };
			const message = /^The header X-Webhook-Signature is missing\.$/;
			await refused('missing-signature', message, event(), { headers });
		}
	});

	test('is logged with the reason that the signature is unreadable', async () => {
		const headers = { 'X-Webhook-Signature': 'sha256=none' };
		await refused('unreadable-signature', /contains no SHA256 digest\.$/, event(), { headers });
	});

	test('is logged with the reason that the signature belongs to another secret or body', async () => {
		const message = /^The signature does not match\.$/;
		await refused('wrong-signature', message, event(), { secret: 'another' });
		await platform.deliver();
		platform.host.executions.length = 0;
		const { headers } = platform.emulator.deliveries.at(-1)!;
		await refused('wrong-signature', message, event({ status: 'failed' }), { headers });
	});

	test('is logged with the reason that the timestamp is missing, unreadable or expired', async () => {
		use('timestampBody');
		const at = (text?: string) => ({
			recipe: 'timestampBody' as const,
			headers: { 'X-Webhook-Timestamp': text },
		});
		await refused('missing-timestamp', /X-Webhook-Timestamp.*is missing/, event(), at());
		await refused('unreadable-timestamp', /is not a time/, event(), at('yesterday'));
		const old = { recipe: 'timestampBody' as const, timestamp: Date.now() - 6 * minutes };
		await refused('stale-timestamp', /is 3[67]\d seconds old; 300 are allowed/, event(), old);
	});

	test('is logged with the reason that the ID is missing', async () => {
		use('standardWebhooks');
		const headers = { 'X-Webhook-Id': undefined };
		const options = { recipe: 'standardWebhooks' as const, headers };
		await refused('missing-id', /X-Webhook-Id.*missing/, event(), options);
	});

	test('is logged with the reason that the nonce is missing', async () => {
		Object.assign(use('custom'), { signedContent: '{nonce}{body}' });
		const headers = { 'X-Webhook-Nonce': undefined };
		const options = { recipe: { template: '{nonce}{body}' }, headers };
		await refused('missing-nonce', /X-Webhook-Nonce.*missing/, event(), options);
	});

	test('is logged with the reason that the body has no fields', async () => {
		use('sortedFields');
		const headers = { 'X-Webhook-Signature': '0'.repeat(32) };
		await refused('no-fields', /is not a JSON object, or/, '[]', { headers });
	});

	test('is logged with the reason that the signature does not cover all fields', async () => {
		use('sortedFields');
		const options = { recipe: 'sortedFields' as const };
		const own = { action_sn: 'SA1', status: 'failed', data: { message: 'x' } };
		expect(await deliver(own, options)).toMatchObject({ status: 200 });
		platform.host.executions.length = 0;
		const { headers } = platform.emulator.deliveries.at(-1)!;
		for (const changed of [
			{ ...own, app_secret: 'added' },
			{ ...own, sign_ver: 'added' },
			{ ...own, app_secret: null },
			{ action_sn: 'SA1', status: 'failed', 'data[message]': 'x' },
		]) {
			await refused('no-fields', /the signature does not cover/, changed, { ...options, headers });
		}
	});
});

describe('A delivery that the trigger cannot process', () => {
	const refuses = async () => {
		expect(await platform.deliver()).toEqual(tryAgainLater);
		expect(platform.host.executions).toEqual([]);
	};

	test('gets the status 503 when the credential cannot be read', async () => {
		platform.store.reading = () => {
			throw new Error('The database is not available');
		};
		await refuses();
	});

	test('gets the status 503 when the node has no credential', async () => {
		platform.host.node.credentials = {};
		await refuses();
	});

	test('gets the status 503 when the credential is invalid', async () => {
		platform.credential.appSecret = '';
		await refuses();
	});

	test('gets the status 503 when a parameter is invalid', async () => {
		platform.host.node.parameters.events = [];
		await refuses();
		platform.host.node.parameters.events = '={{ $json.missing.deeper }}';
		await refuses();
	});
});
