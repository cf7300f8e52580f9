import { createHmac } from 'node:crypto';
import { NodeOperationError, type IDataObject, type INodeParameters } from 'n8n-workflow';
import type { DeliverOptions, WebhookRecipe } from '../../emulator';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const secret = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';

let platform: TriggerPlatform;
beforeEach(async () => {
	platform = await startTrigger({}, { appSecret: secret });
	platform.host.mode = 'manual';
});
afterEach(async () => await platform.stop());

/** Delivers a request that is refused, and returns the message that the sender and the editor receive. */
async function refusalMessage(
	reason: string,
	options: DeliverOptions = {},
	payload: object | string = event(),
	status = 401,
): Promise<string> {
	const response = await platform.deliver(payload, options);
	expect(response).toEqual({
		status,
		body: { ok: false, error: reason, message: expect.any(String) },
	});
	const { error, items } = platform.host.executions.at(-1)!;
	const { message } = response!.body as { message: string };
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error!.message).toBe(message);
	expect(items).toEqual([]);
	for (const text of Object.values(platform.emulator.deliveries.at(-1)!.headers)) {
		if (/^[\w+/=,]{30,}$/.test(text)) expect(message).not.toContain(text);
	}
	expect(message).not.toContain(secret);
	return message;
}

describe('The trigger while the editor listens', () => {
	test('accepts a delivery as in production', async () => {
		expect(await platform.deliver(event())).toEqual({
			status: 200,
			body: { ok: true, result: 'accepted', events: 1 },
		});
		expect(platform.items()).toMatchObject([{ status: 'published' }]);
	});

	test('accepts the same delivery several times', async () => {
		const payload = event();
		for (let i = 0; i < 3; i++) {
			expect(await platform.deliver(payload)).toMatchObject({ body: { result: 'accepted' } });
		}
		expect(platform.host.executions).toHaveLength(3);
	});

	test('does not treat a later production delivery as a duplicate', async () => {
		const payload = event();
		await platform.deliver(payload);
		platform.host.mode = 'webhook';
		expect(await platform.deliver(payload)).toMatchObject({ body: { result: 'accepted' } });
	});

	test('uses a changed credential immediately', async () => {
		await refusalMessage('wrong-signature', { secret: 'x' });
		platform.credential.appSecret = 'x';
		expect(await platform.deliver(event(), { secret: 'x' })).toMatchObject({ status: 200 });
		expect(platform.store.reads).toBe(2);
	});

	test('writes nothing to the log', async () => {
		await refusalMessage('wrong-signature', { secret: 'x' });
		expect(platform.warnings()).toEqual([]);
	});
});

describe('A test event that the trigger filters out', () => {
	/** Delivers events that are filtered out, and returns what the editor shows. */
	async function filtered(parameters: IDataObject, payload: object): Promise<string> {
		platform.host.node.parameters = parameters as INodeParameters;
		expect(await platform.deliver(payload)).toEqual({
			status: 200,
			body: { ok: true, result: 'ignored' },
		});
		const { error, items } = platform.host.executions.at(-1)!;
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(items).toEqual([]);
		expect((error as NodeOperationError).description).toBe(
			'Its signature is valid, but the published workflow will ignore such an event, too. Change the field that is named above, or let the trigger listen again and wait for another event.',
		);
		return error!.message;
	}

	test('is named with the field that excludes it', async () => {
		expect(await filtered({ events: ['failed'] }, event({ status: 'processing' }))).toBe(
			"The event was filtered out: 'Events' does not include the status 'processing'",
		);
		const ofOther = event({ social_account_id: 'acc_2' });
		expect(await filtered({ socialAccountIds: ['acc_1'] }, ofOther)).toBe(
			"The event was filtered out: 'Accounts' does not include 'acc_2'",
		);
	});

	test('is counted in a list', async () => {
		const payload = [{ status: 'queued' }, { status: 'processing' }];
		expect(await filtered({ events: ['failed'] }, payload)).toBe(
			"2 events were filtered out. The first: 'Events' does not include the status 'queued'",
		);
	});

	test('is not named if another event of the list starts the workflow', async () => {
		platform.host.node.parameters = { events: ['failed'] };
		const payload = [{ status: 'queued' }, { status: 'failed' }];
		expect(await platform.deliver(payload)).toMatchObject({ body: { result: 'accepted' } });
		expect(platform.items()).toMatchObject([{ status: 'failed' }]);
	});

	test('is shown without secrets', async () => {
		const account = `${secret} ${'long '.repeat(100)}`;
		const message = await filtered(
			{ socialAccountIds: ['acc_1'] },
			event({ social_account_id: account }),
		);
		expect(message).not.toContain(secret);
		expect(message).toContain("'[redacted] long long");
	});

	test('is not shown if it is forged', async () => {
		platform.host.node.parameters = { events: ['failed'] };
		const message = await refusalMessage('wrong-signature', { secret: 'x' }, event());
		expect(message).not.toMatch(/published|Events/);
	});

	test('is reported for a list without events', async () => {
		await platform.deliver([]);
		expect(platform.host.executions.at(-1)!.error!.message).toBe(
			'A delivery arrived that contains no events',
		);
	});
});

describe('The refusal of a test delivery', () => {
	test.each([
		['timestampBody', 'Timestamp and Body', 'wrong-signature'],
		['standardWebhooks', 'Standard Webhooks', 'unreadable-signature'],
		['bodySha512', 'Body SHA-512', 'unreadable-signature'],
		['sortedFields', 'Sorted Fields', 'unreadable-signature'],
	] as const)('names the preset of a delivery signed with %s', async (recipe, label, reason) => {
		expect(await refusalMessage(reason, { recipe })).toBe(
			`This delivery is signed with '${label}'. In the credential, turn on 'Show Advanced Settings', and choose it under 'Webhook Signature Method'.`,
		);
		platform.credential.signatureRecipe = recipe;
		expect(await platform.deliver(event(), { recipe })).toMatchObject({ status: 200 });
	});

	test('names the values of a preset with another digest', async () => {
		const recipe = { digest: 'sha1', template: '{timestamp}.{body}' } as const;
		expect(await refusalMessage('unreadable-signature', { recipe })).toBe(
			"This delivery is signed with another method. In the credential, turn on 'Show Advanced Settings', choose 'Custom' under 'Webhook Signature Method', and enter: Digest SHA-1; Keyed on; App Secret Form Text; Signed Content {timestamp}.{body}; Signature Header X-Webhook-Signature; Timestamp Header X-Webhook-Timestamp.",
		);
	});

	test('names the preset if the time is in the signature header', async () => {
		const recipe = { preset: 'timestampBody', text: 't={timestamp},v1={hex}' } as const;
		const headers = { 'X-Webhook-Timestamp': undefined };
		expect(await refusalMessage('wrong-signature', { recipe, headers })).toContain(
			"This delivery is signed with 'Timestamp and Body'.",
		);
	});

	test('names the values for sorted fields with another digest', async () => {
		const recipe = { preset: 'sortedFields', digest: 'sha256' } as const;
		expect(await refusalMessage('wrong-signature', { recipe })).toContain(
			'enter: Digest SHA-256; Keyed off; Signed Content {fields}; Signature Header X-Webhook-Signature.',
		);
	});

	test('names the headers that contain signature and timestamp', async () => {
		const recipe = {
			preset: 'standardWebhooks',
			signatureHeader: 'webhook-signature',
			timestampHeader: 'webhook-timestamp',
			idHeader: 'webhook-id',
		} as const;
		expect(await refusalMessage('missing-signature', { recipe })).toMatch(
			/choose 'Custom'.*Digest SHA-256; Keyed on; App Secret Form Base64; Signed Content \{id\}\.\{timestamp\}\.\{body\}; Signature Header webhook-signature; Timestamp Header webhook-timestamp; ID Header webhook-id\.$/,
		);
	});

	test('names values that make the delivery valid when they are entered', async () => {
		const recipe: Partial<WebhookRecipe> = {
			...{ digest: 'sha512', key: 'base64', template: '{timestamp}.{body}' },
			...{ signatureHeader: 'X-Sign', timestampHeader: 'X-Time' },
		};
		const [, fields] = /enter: (.*)\.$/.exec(
			await refusalMessage('missing-signature', { recipe }),
		)!;
		expect(fields!.split('; ')).toEqual([
			...['Digest SHA-512', 'Keyed on', 'App Secret Form Base64'],
			...['Signed Content {timestamp}.{body}', 'Signature Header x-sign'],
			'Timestamp Header x-time',
		]);
		Object.assign(platform.credential, {
			...{ signatureRecipe: 'custom', signatureDigest: 'sha512', signatureKeyForm: 'base64' },
			...{ signedContent: '{timestamp}.{body}', signatureHeader: 'x-sign' },
			timestampHeader: 'x-time',
		});
		expect(await platform.deliver(event(), { recipe })).toMatchObject({ status: 200 });
	});

	test('says what to check if no known method matches', async () => {
		const advice =
			"No known signature method matches this delivery. Check the App Secret in the credential, and that the delivery comes from the platform. If both are correct, ask the platform what it signs and which header contains the signature, and enter that with the method Custom. 'Sorted Fields' cannot verify some numbers, such as 1e25, and some names that are numbers.";
		expect(await refusalMessage('missing-signature', { headers: withoutSignature })).toBe(
			`The header X-Webhook-Signature is missing. ${advice}`,
		);
		expect(await refusalMessage('wrong-signature', { secret: 'another' })).toBe(
			`The signature does not match. ${advice}`,
		);
		for (const text of ['yes', 'v1,AAAA v1,BBBB', '0'.repeat(63)]) {
			const headers = { 'X-Webhook-Signature': text };
			expect(await refusalMessage('unreadable-signature', { headers })).toBe(
				`The header X-Webhook-Signature contains no SHA256 digest. ${advice}`,
			);
		}
	});

	const hmac = (digest: string, body: string) =>
		createHmac(digest, secret).update(body).digest('hex');
	const body = '{"status":"failed"}';
	const withoutSignature = { 'X-Webhook-Signature': undefined };

	test('names the signature header among headers with similar names', async () => {
		const headers = {
			...withoutSignature,
			'X-Signature-Version': 'v1',
			'X-Signature-Timestamp': '1700000000',
			'X-Signature': `SHA256=${hmac('sha256', `1700000000.${body}`)}`,
		};
		expect(await refusalMessage('missing-signature', { headers }, body)).toMatch(
			/Signed Content \{timestamp\}\.\{body\}; Signature Header x-signature; Timestamp Header x-signature-timestamp\.$/,
		);
	});

	test('names the strongest of several digests', async () => {
		const headers = {
			...withoutSignature,
			'X-Hub-Signature': `sha1=${hmac('sha1', body)}`,
			'X-Hub-Signature-256': `sha256=${hmac('sha256', body)}`,
		};
		expect(await refusalMessage('missing-signature', { headers }, body)).toMatch(
			/Digest SHA-256; .*Signature Header x-hub-signature-256\.$/,
		);
		const both = {
			'X-Webhook-Signature': `md5=${hmac('md5', body)},sha512=${hmac('sha512', body)}`,
		};
		expect(await refusalMessage('unreadable-signature', { headers: both }, body)).toContain(
			"with 'Body SHA-512'",
		);
	});

	test('names only the size of a body that is too large', async () => {
		const message = await refusalMessage('too-large', {}, `{"a":[${'1,'.repeat(30_000)}1]}`, 413);
		expect(message).toBe(
			'The body is larger than 1 MB, or has more than 30,000 values or 32 levels.',
		);
	});

	test('names the clock as the cause of an expired timestamp', async () => {
		platform.credential.signatureRecipe = 'timestampBody';
		const timestamp = Date.now() - 3_600_000;
		expect(await refusalMessage('stale-timestamp', { recipe: 'timestampBody', timestamp })).toMatch(
			/^The signed timestamp is 36\d\d seconds old; 300 are allowed\. The signature itself is valid\. Check the clock of the machine that runs n8n, or increase 'Time Window \(Seconds\)' in the options\.$/,
		);
	});

	test('names a wrong recipe rather than an expired timestamp', async () => {
		const timestamp = Date.now() - 3_600_000;
		expect(
			await refusalMessage('wrong-signature', { recipe: 'timestampBody', timestamp }),
		).toContain("'Timestamp and Body'");
	});

	test('names a form with files, which cannot be verified', async () => {
		const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
		expect(await refusalMessage('no-body', { headers })).toMatch(/^The body cannot be verified/);
	});

	test('names only the format of a signed body that is not JSON', async () => {
		const headers = { 'Content-Type': 'text/plain' };
		expect(await refusalMessage('not-json', { headers }, 'hello', 400)).toBe(
			'The body is signed, but is not a JSON object or a list of at most 1,000 JSON objects.',
		);
	});

	/** Delivers an event while the trigger cannot verify it, and returns the message in the editor. */
	async function notReadyMessage(): Promise<string> {
		expect(await platform.deliver()).toEqual({
			status: 503,
			body: { ok: false, error: 'try-again-later' },
		});
		return platform.host.executions.at(-1)!.error!.message;
	}

	test('names the issues of an invalid credential or parameter', async () => {
		platform.credential.appSecret = ' ';
		expect(await notReadyMessage()).toBe("'App Secret' is empty.");
		platform.host.node.parameters = { options: { timeWindow: 0 } };
		expect(await notReadyMessage()).toBe(
			"'Time Window (Seconds)' is not a number of seconds from 1 to 86400.",
		);
	});

	test('shows an error of n8n to the editor, but not to the sender', async () => {
		platform.store.reading = () => {
			throw new Error('The database at 10.0.0.5 is not available');
		};
		expect(await notReadyMessage()).toBe('The database at 10.0.0.5 is not available');
	});
});
