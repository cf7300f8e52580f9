import { RECIPES, type RecipeName, type WebhookRecipe } from '../../emulator';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const names = Object.keys(RECIPES) as RecipeName[];
const accepted = { status: 200, body: { ok: true, result: 'accepted', events: 1 } };

let platform: TriggerPlatform;
beforeEach(async () => {
	// What is base64 can be read as text too.
	platform = await startTrigger({}, { appSecret: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3' });
});
afterEach(async () => await platform.stop());

describe('A delivery', () => {
	test.each(names)(
		'signed by %s starts the workflow where the credential says so',
		async (name) => {
			platform.credential.signatureRecipe = name;
			expect(await platform.deliver(event(), { recipe: name })).toEqual(accepted);
			expect(platform.items()).toMatchObject([{ status: 'published' }]);
		},
	);

	test.each(names)('signed otherwise is refused where the credential says %s', async (name) => {
		platform.credential.signatureRecipe = name;
		for (const recipe of names.filter((other) => other !== name)) {
			expect(await platform.deliver(event(), { recipe })).toMatchObject({ status: 401 });
		}
		expect(platform.host.executions).toEqual([]);
	});

	test('is read as Body where the credential says nothing', async () => {
		expect(platform.credential).not.toHaveProperty('signatureRecipe');
		expect(await platform.deliver()).toEqual(accepted);
	});

	test('of Standard Webhooks is keyed with what stands behind whsec_', async () => {
		const appSecret = `whsec_${platform.emulator.appSecret}`;
		Object.assign(platform.credential, { appSecret, signatureRecipe: 'standardWebhooks' });
		expect(await platform.deliver(event(), { recipe: 'standardWebhooks' })).toEqual(accepted);
	});

	test('of any other kind is keyed with the whole secret, also one that starts with whsec_', async () => {
		const secret = `whsec_${platform.emulator.appSecret}`;
		platform.credential.appSecret = secret;
		expect(await platform.deliver(event(), { secret })).toEqual(accepted);
		expect(await platform.deliver(event())).toMatchObject({ status: 401 });
	});

	test('may carry several signatures, one of which fits, as while a secret is replaced', async () => {
		const other = '0'.repeat(64);
		for (const text of [`{hex},${other}`, `${other}, {hex}`]) {
			expect(await platform.deliver(event(), { recipe: { text } })).toEqual(accepted);
		}
		const recipe = { text: `${other},${other}` };
		expect(await platform.deliver(event(), { recipe })).toMatchObject({ status: 401 });
	});

	test('may carry its time within the signature', async () => {
		platform.credential.signatureRecipe = 'timestampBody';
		const recipe = { preset: 'timestampBody', text: 't={timestamp},v1={hex}' } as const;
		expect(await platform.deliver(event(), { recipe })).toEqual(accepted);
		expect(platform.emulator.deliveries[0]!.headers).not.toHaveProperty('X-Webhook-Timestamp');
	});
});

describe('A Custom recipe', () => {
	const theirs: Partial<WebhookRecipe> = {
		digest: 'sha1',
		key: 'base64',
		template: 'v0\n{timestamp}\n{nonce}\n{id}\n{secret}{body}',
		signatureHeader: 'X-Their-Sign',
		timestampHeader: 'X-Their-Time',
		idHeader: 'X-Their-Id',
		nonceHeader: 'X-Their-Nonce',
	};
	const ours = {
		signatureRecipe: 'custom',
		signatureDigest: 'sha1',
		signatureKeyed: true,
		signatureKeyForm: 'base64',
		signedContent: 'v0\\n{timestamp}\\n{nonce}\\n{id}\\n{secret}{body}',
		signatureHeader: 'X-Their-Sign',
		timestampHeader: 'X-Their-Time',
		webhookIdHeader: 'X-Their-Id',
		nonceHeader: 'X-Their-Nonce',
	};

	test('is read field by field, \\n as a line break', async () => {
		Object.assign(platform.credential, ours);
		expect(await platform.deliver(event(), { recipe: theirs })).toEqual(accepted);
	});

	test.each([
		['signatureDigest', 'sha256', 'unreadable-signature'],
		['signatureKeyed', false, 'wrong-signature'],
		['signatureKeyForm', 'utf8', 'wrong-signature'],
		['signedContent', 'v0\\n{timestamp}\\n{id}\\n{nonce}\\n{secret}{body}', 'wrong-signature'],
		['signatureHeader', 'X-Webhook-Signature', 'missing-signature'],
		['timestampHeader', 'X-Webhook-Timestamp', 'missing-timestamp'],
		['webhookIdHeader', 'X-Webhook-Id', 'missing-id'],
		['nonceHeader', 'X-Webhook-Nonce', 'missing-nonce'],
	])('accepts nothing when %s is another', async (field, value, reason) => {
		Object.assign(platform.credential, ours, { [field]: value });
		expect(await platform.deliver(event(), { recipe: theirs })).toMatchObject({
			status: 401,
			body: { ok: false, error: 'refused' },
		});
		expect(platform.warnings().at(-1)).toContain(`refused (${reason})`);
		expect(platform.host.executions).toEqual([]);
	});

	test.each(['sha256', 'sha512', 'sha1', 'md5'] as const)('knows the digest %s', async (digest) => {
		Object.assign(platform.credential, ours, { signatureDigest: digest });
		expect(await platform.deliver(event(), { recipe: { ...theirs, digest } })).toEqual(accepted);
	});

	test('may be a plain digest over the secret and the body', async () => {
		Object.assign(platform.credential, {
			signatureRecipe: 'custom',
			signatureKeyed: false,
			signedContent: '{secret}{body}',
		});
		const recipe = { keyed: false, template: '{secret}{body}' };
		expect(await platform.deliver(event(), { recipe })).toEqual(accepted);
	});

	test('is Body until its fields are changed', async () => {
		platform.credential.signatureRecipe = 'custom';
		expect(await platform.deliver()).toEqual(accepted);
	});

	test('counts for nothing while a preset is chosen', async () => {
		Object.assign(platform.credential, ours, { signatureRecipe: 'bodySha512' });
		expect(await platform.deliver(event(), { recipe: 'bodySha512' })).toEqual(accepted);
	});
});
