import { createHmac } from 'node:crypto';
import { NodeOperationError, type INodeParameters } from 'n8n-workflow';
import type { DeliverOptions } from '../../emulator';
import { accepted, event, useTrigger } from '../harness/triggerPlatform';

const secret = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';

const platform = useTrigger({}, { appSecret: secret });
beforeEach(() => {
	platform.host.mode = 'manual';
});

/** Returns the message that the editor shows for the latest delivery. */
function shownMessage(): string {
	const { error, items } = platform.host.executions.at(-1)!;
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(items).toEqual([]);
	expect(error!.message).not.toContain(secret);
	return error!.message;
}

/** n8n's response if the trigger shows an error in the editor. */
const notStarted = {
	status: 500,
	body: { message: 'Workflow Webhook Error: Workflow could not be started!' },
};

/** Delivers a request that is refused, and returns the message that the editor receives. */
async function refusalMessage(
	options: DeliverOptions = {},
	payload: object | string = event(),
): Promise<string> {
	expect(await platform.deliver(payload, options)).toEqual(notStarted);
	const message = shownMessage();
	for (const text of Object.values(platform.emulator.deliveries.at(-1)!.headers)) {
		if (/^[\w+/=,]{30,}$/.test(text)) expect(message).not.toContain(text);
	}
	expect(platform.warnings()).toEqual([]);
	return message;
}

describe('The trigger while the editor listens', () => {
	test('accepts repetitions, which are no duplicates in production either', async () => {
		const payload = event();
		for (let i = 0; i < 2; i++) expect(await platform.deliver(payload)).toEqual(accepted);
		platform.host.mode = 'webhook';
		expect(await platform.deliver(payload)).toEqual(accepted);
	});

	test('uses a changed credential immediately', async () => {
		await refusalMessage({ secret: 'x' });
		platform.credential.appSecret = 'x';
		expect(await platform.deliver(event(), { secret: 'x' })).toMatchObject({ status: 200 });
		expect(platform.store.reads).toBe(2);
	});
});

describe('A test event that the trigger filters out', () => {
	/** Delivers events that are filtered out, and returns what the editor shows. */
	async function filtered(parameters: INodeParameters, payload: object): Promise<string> {
		platform.host.node.parameters = parameters;
		expect(await platform.deliver(payload)).toEqual(notStarted);
		return shownMessage();
	}
	const ofAccount = (social_account_id: string) => event({ social_account_id });

	test('is named with the field that excludes it', async () => {
		expect(await filtered({ events: ['failed'] }, event({ status: 'processing' }))).toBe(
			"The event was filtered out: 'Events' does not include the status 'processing'",
		);
		expect(platform.host.executions.at(-1)!.error).toMatchObject({
			description:
				'Its signature is valid, but the published workflow will ignore such an event, too. Change the field that is named above, or let the trigger listen again and wait for another event.',
		});
		expect(await filtered({ socialAccountIds: ['acc_1'] }, ofAccount('acc_2'))).toBe(
			"The event was filtered out: 'Accounts' does not include 'acc_2'",
		);
	});

	test('may be the first of a list, unless another event of the list starts the workflow', async () => {
		const events = ['failed'];
		const payload = [{ status: 'queued' }, { status: 'processing' }];
		expect(await filtered({ events }, payload)).toBe(
			"The event was filtered out: 'Events' does not include the status 'queued'",
		);
		expect(await platform.deliver([...payload, { status: 'failed' }])).toEqual(accepted);
	});

	test('is shown without secrets', async () => {
		const account = `${secret} ${'long '.repeat(100)}`;
		const message = await filtered({ socialAccountIds: ['acc_1'] }, ofAccount(account));
		expect(message).toContain("'[redacted] long long");
	});

	test('is missing in a list without events', async () => {
		expect(await filtered({}, [])).toBe(
			'The event was filtered out: the delivery contains no events',
		);
	});
});

describe('The refusal of a test delivery', () => {
	test.each([
		['timestampBody', 'Timestamp and Body'],
		['standardWebhooks', 'Standard Webhooks'],
		['bodySha512', 'Body SHA-512'],
		['sortedFields', 'Sorted Fields'],
	] as const)('names the preset of a delivery signed with %s', async (recipe, label) => {
		expect(await refusalMessage({ recipe })).toBe(
			`This delivery is signed with '${label}'. In the credential, turn on 'Show Advanced Settings', and choose it under 'Webhook Signature Method'.`,
		);
		platform.credential.signatureRecipe = recipe;
		expect(await platform.deliver(event(), { recipe })).toEqual(accepted);
	});

	test('names the preset if the time is in the signature header, or the delivery is old', async () => {
		const headers = { 'X-Webhook-Timestamp': undefined };
		for (const options of [
			{ recipe: { preset: 'timestampBody', text: 't={timestamp},v1={hex}' } as const, headers },
			{ recipe: 'timestampBody' as const, timestamp: Date.now() - 3_600_000 },
		]) {
			expect(await refusalMessage(options)).toContain("'Timestamp and Body'");
		}
	});

	test('names the values of a preset with another digest', async () => {
		const recipe = { digest: 'sha1', template: '{timestamp}.{body}' } as const;
		expect(await refusalMessage({ recipe })).toBe(
			"This delivery is signed with another method. In the credential, turn on 'Show Advanced Settings', choose 'Custom' under 'Webhook Signature Method', and enter: Digest SHA-1; Keyed on; App Secret Form Text; Signed Content {timestamp}.{body}; Signature Header X-Webhook-Signature; Timestamp Header X-Webhook-Timestamp.",
		);
	});

	test('names the headers of a preset with other headers', async () => {
		const recipe = {
			preset: 'standardWebhooks' as const,
			...{ signatureHeader: 'webhook-signature', timestampHeader: 'webhook-timestamp' },
			idHeader: 'webhook-id',
		};
		expect(await refusalMessage({ recipe })).toMatch(
			/choose 'Custom'.*Digest SHA-256; Keyed on; App Secret Form Base64; Signed Content \{id\}\.\{timestamp\}\.\{body\}; Signature Header webhook-signature; Timestamp Header webhook-timestamp; ID Header webhook-id\.$/,
		);
	});

	const hmac = (digest: string, text: string) =>
		createHmac(digest, secret).update(text).digest('hex');
	const body = '{"status":"failed"}';
	const withoutSignature = { 'X-Webhook-Signature': undefined };

	test('names the signature header among headers with similar names', async () => {
		const headers = {
			...{ ...withoutSignature, 'X-Signature-Version': 'v1' },
			...{ 'X-Signature-Timestamp': '1700000000' },
			'X-Signature': `SHA256=${hmac('sha256', `1700000000.${body}`)}`,
		};
		expect(await refusalMessage({ headers }, body)).toMatch(
			/Signed Content \{timestamp\}\.\{body\}; Signature Header x-signature; Timestamp Header x-signature-timestamp\.$/,
		);
	});

	test('names the strongest of several digests', async () => {
		const headers = {
			...{ ...withoutSignature, 'X-Hub-Signature': `sha1=${hmac('sha1', body)}` },
			'X-Hub-Signature-256': `sha256=${hmac('sha256', body)}`,
		};
		expect(await refusalMessage({ headers }, body)).toMatch(
			/Digest SHA-256; .*Signature Header x-hub-signature-256\.$/,
		);
	});

	test.each<[string, DeliverOptions]>([
		['header X-Webhook-Signature is missing', { headers: withoutSignature }],
		['signature does not match', { secret: 'another' }],
		...['yes', '0'.repeat(63)].map((text): [string, DeliverOptions] => [
			'header X-Webhook-Signature contains no SHA256 digest',
			{ headers: { 'X-Webhook-Signature': text } },
		]),
	])('says what to check if no known method matches: %s', async (message, options) => {
		expect(await refusalMessage(options)).toBe(
			`The ${message}. No known signature method matches this delivery. Check the App Secret in the credential, and that the delivery comes from the platform. If both are correct, ask the platform what it signs and which header contains the signature, and enter that with the method Custom. 'Sorted Fields' cannot verify some numbers, such as 1e25, and some names that are numbers.`,
		);
	});

	test('names the clock as the cause of an expired timestamp', async () => {
		platform.credential.signatureRecipe = 'timestampBody';
		const timestamp = Date.now() - 3_600_000;
		expect(await refusalMessage({ recipe: 'timestampBody', timestamp })).toMatch(
			/^The signed timestamp is 36\d\d seconds old; 300 are allowed\. The signature itself is valid\. Check the clock of the machine that runs n8n, or increase 'Time Window \(Seconds\)' in the options\.$/,
		);
	});

	test('shows an error of n8n to the editor, but not to the sender', async () => {
		platform.store.reading = () => {
			throw new Error('The database at 10.0.0.5 is not available');
		};
		expect(await platform.deliver()).toEqual(notStarted);
		expect(shownMessage()).toBe('The database at 10.0.0.5 is not available');
	});
});
