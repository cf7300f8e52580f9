import { gzipSync } from 'node:zlib';
import { cpuSeconds, n8nPid } from '../n8n/n8nProcess';
import type { Credential } from '../n8n/rest';
import { Setup, withEditor } from '../n8n/setup';
import { send, TriggerFlow } from './triggerFlow';
import { TRIGGER_TYPE } from '../n8n/workflows';

let setup: Setup;
let credential: Credential;
let invalid: TriggerFlow;
let activation: Promise<string>;
beforeAll(async () => {
	setup = await Setup.start({ env: withEditor });
	credential = await setup.credential('platform');
	// n8n retries an activation for 15 seconds, so it begins before the other tests.
	invalid = await TriggerFlow.create(setup, await setup.credential('empty', { appSecret: ' ' }));
	activation = setup.rest.failToActivate(invalid).catch(String);
});
afterAll(async () => await setup?.stop());

let number = 0;

/** A status as the platform sends it. Each has its own ID. */
const event = (status = 'published', more: Record<string, unknown> = {}) => ({
	event: `post.${status}`,
	id: `evt_${++number}`,
	data: { action_sn: `SA${number}`, social_post_id: number, status, platform: 'PHOTO', ...more },
});

/** The headers that the emulator would send. */
async function signed(text: string, options: object = {}): Promise<Record<string, string>> {
	const nowhere = `${setup.emulator.url}/nowhere`;
	return (await setup.emulator.deliver(text, { url: nowhere, ...options })).headers;
}

test('an event has all its fields and every digit of a 64-bit ID in the output, as in its schema', async () => {
	const recipe = 'standardWebhooks';
	const accounts = { account: [{ name: 'Harbour', id: 'acc_1' }] };
	const own = await setup.credential(recipe, { signatureRecipe: recipe, accounts });
	const flow = await TriggerFlow.active(setup, own, { socialAccountIds: ['acc_1'] });
	const raw =
		'{"event":"post.failed","id":"evt_all","data":{"action_sn":"SA_all","social_post_id":9007199254740993,' +
		'"status":"failed","platform":"PHOTO","social_account_id":"acc_1","message":"Too dark"}}';
	await setup.emulator.deliver(raw, { url: flow.url, recipe });
	const data = {
		action_sn: 'SA_all',
		social_post_id: '9007199254740993',
		status: 'failed',
		platform: 'PHOTO',
		social_account_id: 'acc_1',
		message: 'Too dark',
	};
	const item = {
		...data,
		event_id: 'evt_all',
		social_account_name: 'Harbour',
		outcome: 'failed',
		final: true,
		received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
		payload: { event: 'post.failed', id: 'evt_all', data },
	};
	expect(await flow.items()).toEqual([item]);
	const path = `/schemas/${TRIGGER_TYPE}/2.0.0.json`;
	const schema = await setup.rest.call<{ properties: object }>('GET', path);
	expect(Object.keys(schema.properties).sort()).toEqual(Object.keys(item).sort());
});

describe('a delivery', () => {
	let flow: TriggerFlow;
	beforeAll(async () => {
		flow = await TriggerFlow.active(setup, credential, { events: ['published'] });
	});

	const accepted = { ok: true, result: 'accepted', events: 1 };
	const refused = { ok: false, error: 'refused' };
	const fresh = (...about: Parameters<typeof event>) => JSON.stringify(event(...about));
	const large = fresh('published', { filler: 'x'.repeat(2 ** 20 - 1_000) });
	const form = new FormData();
	form.set('payload', fresh());
	const json = 'application/json';

	type Change = (text: string) => Buffer | FormData | string;
	const requests: Array<
		[title: string, status: number, answer: object, type: string, text: string, change?: Change]
	> = [
		['as plain text', 200, accepted, 'text/plain', fresh()],
		['of a type that n8n does not parse', 200, accepted, 'application/octet-stream', fresh()],
		['without a content type', 200, accepted, '', fresh(), (text) => Buffer.from(text)],
		['compressed with gzip', 200, accepted, json, fresh(), gzipSync],
		['of almost 1 MB', 200, accepted, json, large],
		['that is filtered out', 200, { ok: true, result: 'ignored' }, json, fresh('processing')],
		['that is incomplete', 422, {}, json, fresh(), (text) => text.slice(0, -9)],
		['that is empty', 400, { ok: false, error: 'not-json' }, json, ''],
		['as a form with files', 401, refused, '', fresh(), () => form],
		['of 15 MB', 413, refused, 'text/plain', fresh(), () => 'x'.repeat(15 * 2 ** 20)],
	];

	it.each(requests)('%s gets the status %i', async (...[, status, answer, type, text, change]) => {
		const { 'Content-Type': _json, ...headers } = await signed(text);
		if (type !== '') headers['Content-Type'] = type;
		if (change === gzipSync) headers['Content-Encoding'] = 'gzip';
		const reply = await send(flow.url, headers, change ? change(text) : text);
		expect(reply.status).toBe(status);
		expect(JSON.parse(reply.body)).toMatchObject(answer);
	});

	it('starts one execution if it is accepted, and none otherwise', async () => {
		const wanted = requests.filter(([, , answer]) => answer === accepted).length;
		expect(await flow.succeeded(wanted)).toBe(wanted);
	});

	it('that is forged adds one line to the log, without its content', async () => {
		const own = await TriggerFlow.active(setup, credential);
		const text = fresh('published', { note: 'body-of-the-refused' });
		const headers = await signed(text, { secret: 'guessed' });
		const replies = [await send(own.url, headers, text), await send(own.url, headers, text)];
		expect(replies).toMatchObject([{ status: 401 }, { status: 401 }]);
		const lines = setup.n8n.log().match(new RegExp(`.*${own.id} refused.*`, 'g'));
		expect(lines).toEqual([
			expect.stringMatching(/to 'Status' .*\(wrong-signature\): The signature does not match\./),
		]);
		expect(setup.n8n.log()).not.toContain('body-of-the-refused');
		expect(setup.n8n.log()).not.toContain(headers['X-Webhook-Signature']);
	});
});

describe('a hostile delivery', () => {
	const recipe = 'sortedFields';
	/** The CPU time that n8n may use for a delivery. During this time, other requests wait. */
	const MAX_SECONDS = 1.5;
	const numbers = `{"a":[${'12345678901234567890,'.repeat(790_000)}1]}`;
	const escaped = `{"a":"${'~'.repeat(2 ** 20 - 8)}"}`;

	it.each([
		['16 MB of numbers, forged,', 413, numbers, '{}', false],
		['1 MB of characters that a form escapes, signed,', 200, escaped, escaped, false],
		['1 MB of such characters, while the editor listens,', 401, escaped, '{}', true],
	])('of %s does not delay other requests', async (_, status, body, signedText, isTest) => {
		const own = await setup.credential('attacked', { signatureRecipe: recipe });
		const flow = await TriggerFlow.create(setup, own);
		await (isTest ? flow.listen() : flow.activate());
		const more = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };
		const headers = { ...(await signed(signedText, { recipe })), ...more };
		const zipped = gzipSync(body);
		const before = cpuSeconds(n8nPid());
		const reply = await send(isTest ? flow.testUrl : flow.url, headers, zipped);
		expect(cpuSeconds(n8nPid()) - before).toBeLessThan(MAX_SECONDS);
		expect(reply.status).toBe(status);
	});
});

describe('a changed secret', () => {
	it('replaces the old one immediately', async () => {
		const own = await setup.credential('rotated');
		const flow = await TriggerFlow.active(setup, own);
		const deliver = async (secret: string) =>
			(await setup.emulator.deliver(event(), { url: flow.url, secret })).attempts[0]?.status;
		expect(await deliver(setup.emulator.appSecret)).toBe(200);
		const data = { ...own.data, appSecret: 'the-new-secret' };
		await setup.rest.updateCredential({ ...own, data });
		expect(await deliver('the-new-secret')).toBe(200);
		expect(await deliver(setup.emulator.appSecret)).toBe(401);
	});
});

describe('the test URL', () => {
	it.each([
		['shows an accepted delivery', 'failed', 'body', 200, /^$/],
		[
			'names the field that filters an event out',
			'queued',
			'body',
			200,
			/^The event was filtered out: 'Events' does not include the status 'queued'$/,
		],
		[
			'names the preset of a delivery signed by another one',
			'failed',
			'timestampBody',
			401,
			/^This delivery is signed with 'Timestamp and Body'\./,
		],
	] as const)('%s', async (_, status, recipe, wanted, message) => {
		const flow = await TriggerFlow.create(setup, credential, { events: ['failed'] });
		await flow.listen();
		const options = { url: flow.testUrl, recipe };
		const { attempts } = await setup.emulator.deliver(event(status), options);
		expect(attempts).toMatchObject([{ status: wanted }]);
		const { error } = await flow.newest();
		expect(error?.message ?? '').toMatch(message);
		expect(await flow.items()).toMatchObject(error ? [] : [{ outcome: 'failed' }]);
	});
});

test('an activation is refused with the reason for an invalid credential', async () => {
	expect(await activation).toMatch(/'App Secret' is empty/);
	expect((await send(invalid.url, {}, '{}')).status).toBe(404);
});

test('n8n contains no secret after these tests', async () => {
	expect(await setup.sweep()).toEqual([]);
});
