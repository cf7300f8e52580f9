import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { giveToken, notSent, startCustomPlatform } from '../harness/customPlatform';
import { startPlatform } from '../harness/platform';
import { until } from '../harness/storage';

/** Functions that send a response that never ends. */
const endless: Record<string, (response: ServerResponse) => void> = {
	body: (response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		const timer = setInterval(() => response.write(' '), 200);
		response.on('close', () => clearInterval(timer));
	},
	header: ({ socket }) => {
		socket!.write('HTTP/1.1 200 OK\r\nx-slow: ');
		const timer = setInterval(() => socket!.write('x'), 200);
		socket!.on('close', () => clearInterval(timer));
	},
};

// These tests wait for long timeouts, so they run at the same time.
describe('Token exchange', () => {
	test.concurrent.each(Object.keys(endless))(
		'ends after 20 seconds for all waiting requests and is repeated later, with a slow %s',
		async (what) => {
			const platform = await startPlatform();
			const custom = await startCustomPlatform(platform);
			custom.exchange = endless[what]!;
			const begun = Date.now();
			const first = platform.run();
			await wait(10_000);
			const results = await Promise.all([first, platform.run()]);
			expect(Date.now() - begun).toBeGreaterThan(19_900);
			expect(Date.now() - begun).toBeLessThan(28_000);
			for (const { error } of results) {
				expect(error).toMatchObject(
					notSent(/Could not get an access token from .*no response arrived in time/),
				);
			}
			await until(() => custom.exchanges().every(({ socket }) => socket.destroyed));
			custom.exchange = giveToken;
			expect((await platform.run()).error).toBeUndefined();
			expect(custom.exchanges()).toHaveLength(2);
			expect(custom.posts()).toHaveLength(1);
			await Promise.all([custom.stop(), platform.stop()]);
		},
		60_000,
	);

	test.concurrent(
		'sends nothing with a token that n8n stores after the run has ended',
		async () => {
			const platform = await startPlatform();
			const { store } = platform;
			const update = store.updateCredentials.bind(store);
			let isStored = false;
			store.updateCredentials = async (...args) => {
				await wait(33_000);
				await update(...args);
				isStored = true;
			};
			const { error } = await platform.run({ options: { timeout: 1 } });
			expect(error).toMatchObject(notSent(/^Nothing was sent for the post: n8n could not prepare/));
			expect(isStored).toBe(false);
			await until(() => isStored);
			await wait(300);
			expect(platform.received('createPost')).toEqual([]);
			await platform.stop();
		},
		60_000,
	);
});
