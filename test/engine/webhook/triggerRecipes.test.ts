import type { WebhookRecipe } from '../../emulator';
import { stopClock } from '../harness/clock';
import { accepted, event, refused, useTrigger } from '../harness/triggerPlatform';

// This secret can be used as base64 and as text.
const platform = useTrigger({}, { appSecret: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3' });

describe('A custom method', () => {
	const headers = { signatureHeader: 'X-Their-Sign', timestampHeader: 'X-Their-Time' };
	const signedWith: Partial<WebhookRecipe> = {
		...{ ...headers, idHeader: 'X-Their-Id', nonceHeader: 'X-Their-Nonce' },
		...{ digest: 'sha1', key: 'base64' },
		template: 'v0\n{timestamp}\n{nonce}\n{id}\n{secret}{body}',
	};
	const fields = {
		...{ ...headers, webhookIdHeader: 'X-Their-Id', nonceHeader: 'X-Their-Nonce' },
		...{ signatureRecipe: 'custom', signatureDigest: 'sha1', signatureKeyed: true },
		signatureKeyForm: 'base64',
		signedContent: 'v0\\n{timestamp}\\n{nonce}\\n{id}\\n{secret}{body}',
	};

	test('uses all of its fields, with \\n as a line break', async () => {
		Object.assign(platform.credential, fields);
		expect(await platform.deliver(event(), { recipe: signedWith })).toEqual(accepted);
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

// `Date` does not advance, so that the tests can use the exact limits of the window.
test.each([
	['300 seconds by default', {}, 300],
	['as long as the option sets', { timeWindow: 3_600 }, 3_600],
])('Time Window lasts %s in both directions', async (_, options, seconds) => {
	stopClock();
	jest.setSystemTime(1_800_000_000_000);
	const recipe = 'timestampBody' as const;
	platform.credential.signatureRecipe = recipe;
	platform.host.node.parameters = { options };
	const deliverAged = async (age: number) =>
		await platform.deliver(event(), { recipe, timestamp: Date.now() - age * 1_000 });
	for (const age of [seconds, -seconds]) expect(await deliverAged(age)).toEqual(accepted);
	for (const age of [seconds + 1, -seconds - 1]) expect(await deliverAged(age)).toEqual(refused);
	expect(platform.warnings()).toEqual([
		expect.stringContaining(
			`(stale-timestamp): The signed timestamp is ${seconds + 1} seconds old; ${seconds} are allowed.`,
		),
	]);
});
