import { pass, stopClock } from '../harness/clock';
import { event, useTrigger } from '../harness/triggerPlatform';
import { log } from '../harness/webhookLog';

// The tests move `Date` forward instead of waiting for minutes.
beforeEach(stopClock);
const platform = useTrigger();

const forge = async (times: number) => {
	for (let i = 0; i < times; i++) await platform.deliver(event(), { secret: 'forged' });
};
const unsigned = { headers: { 'X-Webhook-Signature': undefined } };
const lines = () => platform.warnings();

describe('The log of refusals', () => {
	test('contains a warning with trigger, workflow, reason and message', async () => {
		await forge(1);
		expect(lines()).toEqual([
			`Webhook delivery to 'Status' of workflow ${platform.host.workflowId} refused (wrong-signature): The signature does not match.`,
		]);
		expect(log.at(-1)).toMatchObject({ level: 'warn', meta: undefined });
	});

	test('contains one line a minute', async () => {
		await forge(5);
		pass(59_999);
		await forge(1);
		expect(lines()).toHaveLength(1);
		pass(1);
		await forge(1);
		expect(lines()).toHaveLength(2);
	});

	test('counts each reason separately', async () => {
		await forge(3);
		await platform.deliver(event(), unsigned);
		await platform.deliver('hello', { headers: { 'Content-Type': 'text/plain' } });
		expect(lines().map((line) => /\((.*?)\)/.exec(line)![1])).toEqual([
			...['wrong-signature', 'missing-signature', 'not-json'],
		]);
	});

	test('counts each trigger separately', async () => {
		const other = await platform.another();
		await forge(2);
		await platform.deliver(event(), { secret: 'forged', url: other.url });
		platform.host.node.name = 'Other';
		await forge(2);
		expect(lines().map((line) => /'.*workflow \w+/.exec(line)![0])).toEqual([
			`'Status' of workflow ${platform.host.workflowId}`,
			`'Status' of workflow ${other.workflowId}`,
			`'Other' of workflow ${platform.host.workflowId}`,
		]);
	});

	test('never contains the body, the secret or the signature', async () => {
		const mark = 'do-not-log-this';
		const payload = event({ note: mark });
		await platform.deliver(payload, { secret: mark });
		await platform.deliver(payload, { headers: { 'X-Webhook-Signature': mark } });
		await platform.deliver(mark, { headers: { 'Content-Type': 'text/plain' } });
		platform.credential.signatureRecipe = 'timestampBody';
		pass(30_000);
		const headers = { 'X-Webhook-Timestamp': mark };
		await platform.deliver(payload, { recipe: 'timestampBody', headers });
		expect(lines()).toHaveLength(4);
		const text = JSON.stringify(log);
		expect(text).not.toContain(mark);
		expect(text).not.toContain(platform.emulator.appSecret);
		for (const { headers: sent } of platform.emulator.deliveries) {
			expect(text).not.toContain(sent['X-Webhook-Signature']);
		}
	});
});

test('The message about an invalid credential is logged and not sent', async () => {
	platform.credential.appSecret = '';
	const response = await platform.deliver();
	expect(response!.body).toEqual({ ok: false, error: 'try-again-later' });
	expect(lines()).toEqual([
		`Webhook delivery to 'Status' of workflow ${platform.host.workflowId} refused (not-ready): 'App Secret' is empty.`,
	]);
});

test('Accepted, ignored and duplicate deliveries are not logged', async () => {
	const payload = event();
	await platform.deliver(payload);
	await platform.deliver(payload);
	platform.host.node.parameters.events = ['failed'];
	await platform.deliver();
	expect(lines()).toEqual([]);
});
