import { loopback, type Loopback } from '../../loopback';
import { retryOnFail } from '../harness/ledgerOf';
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
		[401, '{"success":true,"code":0,"message":"posted"}'],
		[401, '{"success":true,"data":{"action_sn":"a"}}'],
		[400, '{"success":true,"code":"OK","message":"posted"}'],
		[307, '{"success":true,"code":200,"data":{"action_sn":"a"}}'],
		[308, '{"success":true,"code":0,"data":{"action_sn":"a"}}'],
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
