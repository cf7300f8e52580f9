import { RECIPES, type RecipeName, type WebhookRecipe } from '../../emulator';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const names = Object.keys(RECIPES) as RecipeName[];
const accepted = { status: 200, body: { ok: true, result: 'accepted', events: 1 } };

let platform: TriggerPlatform;
beforeEach(async () => {
	// This secret can be used as base64 and as text.
	platform = await startTrigger({}, { appSecret: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3' });
});
afterEach(async () => await platform.stop());

describe('A preset', () => {
	test.each(names)('accepts a delivery signed with %s', async (name) => {
		platform.credential.signatureRecipe = name;
		expect(await platform.deliver(event(), { recipe: name })).toEqual(accepted);
		expect(platform.items()).toMatchObject([{ status: 'published' }]);
	});

	test.each(names)('refuses deliveries signed with other presets: %s', async (name) => {
		platform.credential.signatureRecipe = name;
		for (const recipe of names.filter((other) => other !== name)) {
			expect(await platform.deliver(event(), { recipe })).toMatchObject({ status: 401 });
		}
		expect(platform.host.executions).toEqual([]);
	});

	test('is Body by default', async () => {
		expect(platform.credential).not.toHaveProperty('signatureRecipe');
		expect(await platform.deliver()).toEqual(accepted);
	});

	test('ignores the prefix whsec_ of the secret if it is Standard Webhooks', async () => {
		const appSecret = `whsec_${platform.emulator.appSecret}`;
		Object.assign(platform.credential, { appSecret, signatureRecipe: 'standardWebhooks' });
		expect(await platform.deliver(event(), { recipe: 'standardWebhooks' })).toEqual(accepted);
	});

	test('includes the prefix whsec_ in the key if it is Body', async () => {
		const secret = `whsec_${platform.emulator.appSecret}`;
		platform.credential.appSecret = secret;
		expect(await platform.deliver(event(), { secret })).toEqual(accepted);
		expect(await platform.deliver(event())).toMatchObject({ status: 401 });
	});

	test('accepts several signatures when one of them is valid', async () => {
		const other = '0'.repeat(64);
		for (const text of [`{hex},${other}`, `${other}, {hex}`]) {
			expect(await platform.deliver(event(), { recipe: { text } })).toEqual(accepted);
		}
		const recipe = { text: `${other},${other}` };
		expect(await platform.deliver(event(), { recipe })).toMatchObject({ status: 401 });
	});

	test('accepts a timestamp in the signature header', async () => {
		platform.credential.signatureRecipe = 'timestampBody';
		const recipe = { preset: 'timestampBody', text: 't={timestamp},v1={hex}' } as const;
		expect(await platform.deliver(event(), { recipe })).toEqual(accepted);
		expect(platform.emulator.deliveries[0]!.headers).not.toHaveProperty('X-Webhook-Timestamp');
	});
});

describe('A custom recipe', () => {
	const signedWith: Partial<WebhookRecipe> = {
		digest: 'sha1',
		key: 'base64',
		template: 'v0\n{timestamp}\n{nonce}\n{id}\n{secret}{body}',
		signatureHeader: 'X-Their-Sign',
		timestampHeader: 'X-Their-Time',
		idHeader: 'X-Their-Id',
		nonceHeader: 'X-Their-Nonce',
	};
	const fields = {
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

	test('uses all of its fields, with \\n as a line break', async () => {
		Object.assign(platform.credential, fields);
		expect(await platform.deliver(event(), { recipe: signedWith })).toEqual(accepted);
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
	])('refuses a delivery when the field %s differs', async (field, value, reason) => {
		Object.assign(platform.credential, fields, { [field]: value });
		expect(await platform.deliver(event(), { recipe: signedWith })).toMatchObject({
			status: 401,
			body: { ok: false, error: 'refused' },
		});
		expect(platform.warnings().at(-1)).toContain(`refused (${reason})`);
		expect(platform.host.executions).toEqual([]);
	});

	test.each(['sha256', 'sha512', 'sha1', 'md5'] as const)(
		'accepts the digest %s',
		async (digest) => {
			Object.assign(platform.credential, fields, { signatureDigest: digest });
			expect(await platform.deliver(event(), { recipe: { ...signedWith, digest } })).toEqual(
				accepted,
			);
		},
	);

	test('accepts a plain digest of the secret and the body', async () => {
		Object.assign(platform.credential, {
			signatureRecipe: 'custom',
			signatureKeyed: false,
			signedContent: '{secret}{body}',
		});
		const recipe = { keyed: false, template: '{secret}{body}' };
		expect(await platform.deliver(event(), { recipe })).toEqual(accepted);
	});

	test('is equal to Body by default', async () => {
		platform.credential.signatureRecipe = 'custom';
		expect(await platform.deliver()).toEqual(accepted);
	});

	test('is ignored when a preset is selected', async () => {
		Object.assign(platform.credential, fields, { signatureRecipe: 'bodySha512' });
		expect(await platform.deliver(event(), { recipe: 'bodySha512' })).toEqual(accepted);
	});
});
