import { loopback, type Loopback } from '../../loopback';
import { fromAI, runAgent } from '../harness/agentRun';
import { retryOf, retryOnFail } from '../harness/ledgerOf';
import { usePlatform } from '../harness/platform';
import { withToken } from '../../storedToken';

const platform = usePlatform();

/** The status, body and headers of the response to a post. */
let answer: { status: number; body: string; headers?: Record<string, string> };
let posts = 0;
let server: Loopback;
beforeEach(async () => {
	posts = 0;
	server = await loopback((request, response) => {
		request.resume();
		if (/token/i.test(request.url!)) {
			const data = { access_token: 'another-token-0123456789' };
			response.end(JSON.stringify({ success: true, code: 200, data }));
			return;
		}
		posts++;
		response.writeHead(answer.status, { 'retry-after': '0', ...answer.headers }).end(answer.body);
	});
	withToken(platform.credential, 'a-token-0123456789', { baseUrl: server.url });
});
afterEach(async () => await server.stop());

describe('A response that reports success with an HTTP error status', () => {
	test.each([
		[429, '{"success":true,"code":0,"data":{"action_sn":"a"}}'],
		[429, '{"success":true,"code":"OK","data":{"action_sn":"a"}}'],
		[429, '{"success":true,"data":{"action_sn":"a"}}'],
		[429, '{"success":"true","code":200,"data":{"action_sn":"a"}}'],
		[429, '{"success":"true","code":200,"message":"posted"}'],
		[401, '{"success":1,"message":"posted"}'],
		[401, '{"success":true,"code":0,"message":"posted"}'],
		[401, '{"success":true,"data":{"action_sn":"a"}}'],
		[400, '{"success":true,"code":"OK","message":"posted"}'],
		[307, '{"success":true,"code":200,"data":{"action_sn":"a"}}'],
		[308, '{"success":true,"code":0,"data":{"action_sn":"a"}}'],
		[429, '{"success":false,"code":429,"data":{"action_sn":"a"}}'],
		[400, '{"error":"no such account","data":{"action_sn":7}}'],
		[429, '[{"success":true,"code":200,"data":{"action_sn":"a"}}]'],
		[429, '{"success":true,"code":200,"data":{"action_sn":"a","stat'],
		[429, JSON.stringify('{"success":true,"code":200,"data":{"action_sn":"a"}}')],
		[401, '[{"success":true,"code":200,"data":{"social_post_id":5}}]'],
	])('leaves the outcome unknown and sends the post once: HTTP %i %s', async (status, body) => {
		answer = { status, body, headers: { location: '/elsewhere' } };
		const { error } = await platform.run(
			{ options: { rateLimitWait: 3 } },
			{ settings: retryOnFail },
		);
		expect(error!.context.data).toMatchObject({ outcome: 'unknown' });
		expect(posts).toBe(1);
	});
});

describe('A refusal with the ID of a post', () => {
	test.each([
		'{"success":false,"code":2150,"data":{"action_sn":"sn_1"}}',
		'{"success":false,"code":1001,"data":{"action_sn":"sn_1"}}',
		'{"success":false,"code":500,"data":{"social_post_id":5,"status":"published"}}',
		'{"success":false,"code":429,"data":{"action_sn":"sn_1","status":"failed"}}',
	])('leaves the outcome unknown and sends the post once: %s', async (body) => {
		answer = { status: 200, body };
		const { error } = await platform.run({}, { settings: retryOnFail });
		expect(error!.message).toMatch(
			/: the platform responded with JSON with the ID of a post, but without success$/,
		);
		expect(error!.context.data).toMatchObject({ outcome: 'unknown' });
		expect(posts).toBe(1);
	});

	test.each(['""', 'null'])('is a refusal if the number is %s', async (number) => {
		answer = {
			status: 200,
			body: `{"success":false,"code":2150,"data":{"action_sn":${number}}}`,
		};
		const { error } = await platform.run();
		expect(error!.context.data).toMatchObject({ outcome: 'refused' });
	});
});

describe.each(['failed', 'deleted', 'FAILED'])('An accepted post with the status %s', (status) => {
	const data = { action_sn: 'sn_1', status };
	const warnings = [
		{
			field: 'status',
			message: `is '${status}'; the platform accepted the post but may not publish it, so check it on the platform`,
		},
	];
	beforeEach(() => {
		answer = { status: 200, body: JSON.stringify({ success: true, code: 200, data }) };
	});

	test('is reported in the output, in the summary and as a warning', async () => {
		const { outputs, hints } = await platform.run({}, { items: [{}, {}] });
		expect(outputs[0]!.map(({ json }) => json)).toMatchObject([data, data]);
		expect(hints[0]!.split('<br>')).toStrictEqual([
			'Posts: 2 accepted but reported as failed or deleted.',
			`Warning in post 1 of 2, “Hello”: 'status' ${warnings[0]!.message}.`,
			`Warning in post 2 of 2, “Hello”: 'status' ${warnings[0]!.message}.`,
		]);
	});

	test('is not sent again by a retry, which outputs the status', async () => {
		const first = await platform.run();
		const { outputs, hints } = await platform.run({}, retryOf(first));
		expect(posts).toBe(1);
		expect(outputs[0]![0]!.json).toMatchObject(data);
		expect(hints[0]).toContain('1 accepted earlier and not sent again');
	});

	test('is reported to an agent', async () => {
		const parameters = { socialAccountId: 'acc_1', text: fromAI('text') };
		const [told] = await runAgent({ platform, turns: [[{ text: 'Hello' }]], parameters });
		expect(told).toMatchObject(data);
		expect(told!.warnings).toContainEqual(warnings[0]);
	});
});
