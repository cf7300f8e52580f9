import { respond, startCustomPlatform, type CustomPlatform } from '../harness/customPlatform';
import { retryOf, retryOnFail } from '../harness/ledgerOf';
import { jsonOf } from '../harness/manyPosts';
import { usePosts } from './postSetup';

const { platform, callTool } = usePosts();

let custom: CustomPlatform;
beforeEach(async () => (custom = await startCustomPlatform(platform)));
afterEach(async () => await custom.stop());

/** Answers each post with this status and body. */
const answer = (status: number, body: string) => {
	const headers = { 'retry-after': '0', location: '/elsewhere' };
	custom.post = (_, response) => void response.writeHead(status, headers).end(body);
};

const outcome = (kind: string) => ({ context: { data: { outcome: kind } } });

test.each([
	[429, '{"success":true,"code":0,"data":{"action_sn":"a"}}'],
	[429, '{"success":"true","code":200,"message":"posted"}'],
	[307, '{"success":true,"code":200,"data":{"action_sn":"a"}}'],
	[429, '[{"success":true,"code":200,"data":{"action_sn":"a"}}]'],
	[429, '{"success":true,"code":200,"data":{"action_sn":"a","stat'],
	[429, JSON.stringify('{"success":true,"code":200,"data":{"action_sn":"a"}}')],
	[401, '[{"success":true,"code":200,"data":{"social_post_id":5}}]'],
])(
	'An HTTP error status with a success leaves the outcome unknown, and the post is sent once: HTTP %i %s',
	async (status, body) => {
		answer(status, body);
		const { error } = await platform.run({}, { settings: retryOnFail });
		expect(error).toMatchObject(outcome('unknown'));
		expect(custom.posts()).toHaveLength(1);
	},
);

describe('A refusal with the ID of a post', () => {
	test.each([
		[200, '{"success":false,"code":2150,"data":{"action_sn":"sn_1"}}'],
		[200, '{"success":false,"code":500,"data":{"social_post_id":5,"status":"published"}}'],
		[429, '{"success":false,"code":429,"data":[{"action_sn":"sn_1"}]}'],
		[400, '{"error":"no such account","data":{"action_sn":7}}'],
	])('leaves the outcome unknown, and the post is sent once: HTTP %i %s', async (status, body) => {
		answer(status, body);
		const { error } = await platform.run({}, { settings: retryOnFail });
		expect(error).toMatchObject({
			message: expect.stringMatching(
				status === 200
					? /: the platform responded with JSON with the ID of a post, but without success$/
					: /, but reports success or an action$/,
			),
			...outcome('unknown'),
		});
		expect(custom.posts()).toHaveLength(1);
	});

	test.each(['""', 'null'])('is a refusal if the ID is %s', async (id) => {
		answer(200, `{"success":false,"code":2150,"data":{"action_sn":${id}}}`);
		expect((await platform.run()).error).toMatchObject(outcome('refused'));
	});
});

describe.each(['failed', 'deleted', 'FAILED'])('An accepted post with the status %s', (status) => {
	const data = { action_sn: 'sn_1', status };
	const message = `is '${status}'; the platform accepted the post but may not publish it, so check it on the platform`;
	beforeEach(() => {
		custom.post = (_, response) => void respond(response, 200, { success: true, code: 200, data });
	});

	test('is reported in the output, in the summary and as a warning', async () => {
		const result = await platform.run({}, { items: [{}, {}] });
		expect(jsonOf(result)).toMatchObject([data, data]);
		expect(result.hints[0]!.split('<br>')).toStrictEqual([
			'Posts: 2 accepted but reported as failed or deleted.',
			`Warning in post 1 of 2, “Hello”: 'status' ${message}.`,
			`Warning in post 2 of 2, “Hello”: 'status' ${message}.`,
		]);
		const [told] = await callTool(undefined, [['Hello']]);
		expect(told).toMatchObject({ ...data, warnings: [{ field: 'status', message }] });
	});

	test('is not sent again by a retry, which outputs the status', async () => {
		const again = await platform.run({}, retryOf(await platform.run()));
		expect(custom.posts()).toHaveLength(1);
		expect(jsonOf(again)).toMatchObject([data]);
		expect(again.hints[0]).toContain('1 accepted earlier and not sent again');
	});
});
