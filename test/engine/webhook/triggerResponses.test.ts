import type { WebhookHost } from '../harness/webhookHost';
import { pass, stopClock } from '../harness/clock';
import { event, refused, tryAgainLater, useTrigger } from '../harness/triggerPlatform';
import { log } from '../harness/webhookLog';

beforeEach(stopClock);
const platform = useTrigger();

const asText = { headers: { 'Content-Type': 'text/plain' } };
const forge = async (times: number) => {
	for (let i = 0; i < times; i++) {
		expect(await platform.deliver(event(), { secret: 'forged' })).toEqual(refused);
	}
};
const logged = (reason: string) =>
	`Webhook delivery to 'Status' of workflow ${platform.host.workflowId} refused (${reason})`;

test('A forged delivery gets no reason, which is only in the log', async () => {
	await forge(1);
	expect(platform.warnings()).toEqual([
		`${logged('wrong-signature')}: The signature does not match.`,
	]);
	expect(log.at(-1)).toMatchObject({ level: 'warn', meta: undefined });
});

test('A delivery with fields that Sorted Fields does not cover is refused', async () => {
	platform.credential.signatureRecipe = 'sortedFields';
	const options = { recipe: 'sortedFields' as const };
	const own = { action_sn: 'SA1', status: 'failed', data: { message: 'x' } };
	expect(await platform.deliver(own, options)).toMatchObject({ status: 200 });
	const { headers } = platform.emulator.deliveries.at(-1)!;
	for (const changed of [
		{ ...own, app_secret: 'added' },
		{ ...own, sign_ver: 'added' },
		{ action_sn: 'SA1', status: 'failed', 'data[message]': 'x' },
	]) {
		expect(await platform.deliver(changed, { ...options, headers })).toEqual(refused);
	}
	expect(platform.warnings()).toEqual([
		expect.stringMatching(/refused \(no-fields\): .*the signature does not cover/),
	]);
});

test('A signed body that is not JSON gets the status 400 and the reason', async () => {
	const message =
		'The body is signed, but is not a JSON object or a list of at most 1,000 JSON objects.';
	expect(await platform.deliver('status=published', asText)).toEqual({
		status: 400,
		body: { ok: false, error: 'not-json', message },
	});
	expect(platform.warnings()).toEqual([`${logged('not-json')}: ${message}`]);
	expect(platform.host.executions).toEqual([]);
});

test.each<[string, (host: WebhookHost) => void, string]>([
	['has no credential', ({ node }) => (node.credentials = {}), 'any credentials'],
	['has an invalid parameter', ({ node }) => (node.parameters.events = []), "'Events' is empty"],
	[
		'has an expression that fails',
		({ node }) => (node.parameters.events = '={{ $json.missing.deeper }}'),
		'',
	],
	[
		'has an invalid credential',
		() => (platform.credential.appSecret = ''),
		": 'App Secret' is empty or",
	],
])('A delivery gets the status 503 when the trigger %s', async (_, change, message) => {
	change(platform.host);
	expect(await platform.deliver()).toEqual(tryAgainLater);
	expect(platform.host.executions).toEqual([]);
	expect(platform.warnings()[0]).toContain(logged('not-ready'));
	expect(platform.warnings()[0]).toContain(message);
});

describe('The log of refusals', () => {
	test('contains one line a minute', async () => {
		await forge(5);
		pass(59_999);
		await forge(1);
		expect(platform.warnings()).toHaveLength(1);
		pass(1);
		await forge(1);
		expect(platform.warnings()).toHaveLength(2);
	});

	test('counts each reason and each trigger separately', async () => {
		const other = await platform.another();
		await forge(2);
		await platform.deliver(event(), { headers: { 'X-Webhook-Signature': undefined } });
		await platform.deliver(event(), { secret: 'forged', url: other.url });
		platform.host.node.name = 'Other';
		await forge(2);
		expect(platform.warnings().map((line) => /'.*\)/.exec(line)![0])).toEqual([
			`'Status' of workflow ${platform.host.workflowId} refused (wrong-signature)`,
			`'Status' of workflow ${platform.host.workflowId} refused (missing-signature)`,
			`'Status' of workflow ${other.workflowId} refused (wrong-signature)`,
			`'Other' of workflow ${platform.host.workflowId} refused (wrong-signature)`,
		]);
	});

	test('never contains the body, the secret or the signature', async () => {
		const mark = 'do-not-log-this';
		const payload = event({ note: mark });
		await platform.deliver(payload, { secret: mark });
		await platform.deliver(payload, { headers: { 'X-Webhook-Signature': mark } });
		await platform.deliver(mark, asText);
		platform.credential.signatureRecipe = 'timestampBody';
		pass(30_000);
		const headers = { 'X-Webhook-Timestamp': mark };
		await platform.deliver(payload, { recipe: 'timestampBody', headers });
		expect(platform.warnings()).toHaveLength(4);
		const signatures = platform.emulator.deliveries.map((sent) => sent.headers);
		for (const hidden of [
			...[mark, platform.emulator.appSecret],
			...signatures.map((sent) => sent['X-Webhook-Signature']!),
		]) {
			expect(JSON.stringify(log)).not.toContain(hidden);
		}
	});
});
