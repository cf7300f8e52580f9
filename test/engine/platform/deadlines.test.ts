import type { IncomingMessage, ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { IDataObject } from 'n8n-workflow';
import { loopback } from '../../loopback';
import { testCredential } from '../docs/credentialTest';
import { chat, chatOperations } from '../harness/chats';
import { giveToken, notSent, respond, startCustomPlatform } from '../harness/customPlatform';
import { endless } from '../harness/openServer';
import { startPlatform } from '../harness/platform';
import { until } from '../harness/storage';
import { withToken } from '../../storedToken';

/*
 * Node 20 loses `AbortSignal.any([…, AbortSignal.timeout(ms)])` if the garbage collector runs before it fires.
 * So it runs during these tests, which wait for all deadlines of the package at the same time.
 */
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
let collecting: NodeJS.Timeout;
beforeAll(() => {
	collecting = setInterval(collectGarbage, 1_000);
});
afterAll(() => clearInterval(collecting));

const dripping = endless('application/json', ' ');

/** Returns a server that responds as the given functions say, and a function that runs a node with it. */
async function start(respondToPost: (response: ServerResponse, request: IncomingMessage) => void) {
	const platform = await startPlatform();
	const custom = await startCustomPlatform(platform);
	custom.post = (request, response) => respondToPost(response, request);
	const stop = async () => {
		await until(() => custom.received.every(({ socket }) => socket.destroyed));
		await Promise.all([custom.stop(), platform.stop()]);
	};
	return { platform, custom, stop };
}

const inTime = { message: expect.stringContaining('no response arrived in time (timeout)') };

describe('A deadline is kept while garbage is collected', () => {
	const requests: Array<[string, IDataObject]> = [
		['a post', { options: { timeout: 5 } }],
		['a chat request', chat(chatOperations[0]!, 'Hello', { options: { timeout: 5 } })],
	];
	test.concurrent.each(requests)('of %s', async (_, parameters) => {
		const { platform, stop } = await start(dripping);
		withToken(platform.credential, 'a-token');
		const { error } = await platform.run(parameters);
		expect(error).toMatchObject({ ...inTime, context: { data: { outcome: 'unknown' } } });
		await stop();
	});

	test.concurrent('of a post, which begins after the token exchange', async () => {
		const { platform, custom, stop } = await start(dripping);
		custom.exchange = (response) => setTimeout(() => giveToken(response), 2_000);
		const begun = Date.now();
		const { error } = await platform.run({ options: { timeout: 3 } });
		expect(Date.now() - begun).toBeGreaterThan(4_900);
		expect(Date.now() - begun).toBeLessThan(30_000);
		expect(error).toMatchObject({ ...inTime, context: { data: { outcome: 'unknown' } } });
		await stop();
	});

	test.concurrent('of the token exchange, which is 20 seconds', async () => {
		const { platform, custom, stop } = await start(() => undefined);
		custom.exchange = dripping;
		const begun = Date.now();
		const { error } = await platform.run();
		expect(Date.now() - begun).toBeGreaterThan(19_900);
		expect(error).toMatchObject(notSent(/no response arrived in time/));
		await stop();
	});

	test.concurrent('of the request that tests a credential, which is 20 seconds', async () => {
		const { platform, stop } = await start(() => undefined);
		const begun = Date.now();
		expect(await testCredential(platform)).toBe('ECONNABORTED');
		expect(Date.now() - begun).toBeGreaterThan(19_900);
		await stop();
	});

	test.concurrent('of Check Media, which is 10 seconds', async () => {
		const { platform, stop } = await start(dripping);
		const media = await loopback((_, response) => endless('image/jpeg', ' ')(response));
		const begun = Date.now();
		const mediaUrls = [`${media.url}/a.jpg`];
		const { error } = await platform.run({ mediaUrls, options: { checkMedia: true } });
		expect(Date.now() - begun).toBeGreaterThan(9_900);
		expect(error).toMatchObject(inTime);
		await Promise.all([media.stop(), stop()]);
	});

	test.concurrent('of a rate limit', async () => {
		const responses = [429, 200];
		const { platform, custom, stop } = await start((response) => {
			const status = responses.shift()!;
			const isOk = status === 200;
			const body = { success: isOk, code: status, ...(isOk && { data: { action_sn: 'a' } }) };
			respond(response, status, body, { 'retry-after': '4' });
		});
		const { error } = await platform.run();
		expect(error).toBeUndefined();
		expect(custom.posts()).toHaveLength(2);
		await stop();
	});

	test.concurrent('when the execution is canceled', async () => {
		const { platform, custom, stop } = await start(dripping);
		const running = platform.start({ options: { timeout: 60 } });
		await until(() => custom.posts().length === 1);
		await new Promise((resolve) => setTimeout(resolve, 500));
		running.cancel();
		expect((await running.done).run.status).toBe('canceled');
		await stop();
	});
});
