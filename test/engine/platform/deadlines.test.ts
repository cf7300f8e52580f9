import type { ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { IDataObject } from 'n8n-workflow';
import { loopback } from '../../loopback';
import { testCredential } from '../docs/credentialTest';
import { chat, complete } from '../harness/chats';
import {
	endless,
	giveToken,
	headersOnly,
	notSent,
	respond,
	startCustomPlatform,
} from '../harness/customPlatform';
import { startPlatform } from '../harness/platform';
import { until } from '../harness/storage';
import { withToken } from '../../storedToken';

/*
 * Node 20 loses `AbortSignal.any([…, AbortSignal.timeout(ms)])` if the garbage collector runs before it fires.
 * So it runs while these tests wait for all deadlines of the package at the same time: the last one begins
 * after 2 seconds, the first one passes after 5.
 */
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
beforeAll(() => {
	for (const time of [1_000, 3_000, 4_000]) setTimeout(collectGarbage, time);
});

const JSON_TYPE = 'application/json';
const dripping = endless(JSON_TYPE, ' ');
const silent = () => {};

/**
 * Starts a server that responds to posts with the given function, and whose `stop` waits until all connections
 * are closed.
 */
async function start(respondToPost: (response: ServerResponse) => void) {
	const platform = await startPlatform();
	const custom = await startCustomPlatform(platform);
	custom.post = (_, response) => respondToPost(response);
	const stop = async () => {
		await until(() => custom.received.every(({ socket }) => socket.destroyed));
		await Promise.all([custom.stop(), platform.stop()]);
	};
	return { platform, custom, stop };
}

const inTime = { message: expect.stringContaining('no response arrived in time (timeout)') };

describe('A deadline is kept, and closes the connection, while garbage is collected', () => {
	const post = { options: { timeout: 5 } };
	const chatRequest = chat(complete, 'Hello', post);
	test.concurrent.each<[string, IDataObject, (response: ServerResponse) => void]>([
		['a post with an endless response', post, dripping],
		['a chat request without a response', chatRequest, silent],
		['a chat request with only headers', chatRequest, headersOnly],
		['a chat request with an endless refusal', chatRequest, endless(JSON_TYPE, ' ', 400)],
	])('of %s', async (_, parameters, respondToPost) => {
		const { platform, stop } = await start(respondToPost);
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

	test.concurrent(
		'of the token exchange for all waiting requests, which is 20 seconds',
		async () => {
			const { platform, custom, stop } = await start(silent);
			custom.exchange = dripping;
			const begun = Date.now();
			for (const { error } of await Promise.all([platform.run(), platform.run()])) {
				expect(error).toMatchObject({
					...notSent(/could not get an access token from .*no response arrived in time/),
					failure: { cause: 'temporarily-unavailable' },
				});
			}
			expect(Date.now() - begun).toBeGreaterThan(19_900);
			expect(custom.exchanges()).toHaveLength(1);
			await stop();
		},
	);

	test.concurrent(
		'of n8n to store a token, which is 25 seconds, and the post then uses it',
		async () => {
			const { platform, custom, stop } = await start((response) =>
				respond(response, 200, { success: true, code: 200, data: { id: '1' } }),
			);
			platform.store.updateCredentials = async () => await new Promise(() => {});
			const begun = Date.now();
			expect((await platform.run()).error).toBeUndefined();
			expect(Date.now() - begun).toBeGreaterThan(24_900);
			expect(custom.posts()).toHaveLength(1);
			await stop();
		},
	);

	test.concurrent('of the request that tests a credential, which is 20 seconds', async () => {
		const { platform, stop } = await start(silent);
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
});
