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

	test('is Body by default', async () => {
		expect(platform.credential).not.toHaveProperty('signatureRecipe');
		expect(await platform.deliver()).toEqual(accepted);
	});

	test('includes the prefix whsec_ in the key if it is Body', async () => {
		const secret = `whsec_${platform.emulator.appSecret}`;
		platform.credential.appSecret = secret;
		expect(await platform.deliver(event(), { secret })).toEqual(accepted);
		expect(await platform.deliver(event())).toMatchObject({ status: 401 });
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

	test('is equal to Body by default', async () => {
		platform.credential.signatureRecipe = 'custom';
		expect(await platform.deliver()).toEqual(accepted);
	});

	test('is ignored when a preset is selected', async () => {
		Object.assign(platform.credential, fields, { signatureRecipe: 'bodySha512' });
		expect(await platform.deliver(event(), { recipe: 'bodySha512' })).toEqual(accepted);
	});
});
