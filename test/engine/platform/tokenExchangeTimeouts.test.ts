import type { ServerResponse } from 'node:http';
import { hurryDeadlines } from '../harness/clock';
import { giveToken, notSent, startCustomPlatform } from '../harness/customPlatform';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const platform = usePlatform();
let deadlines: ReturnType<typeof hurryDeadlines>;
beforeEach(() => {
	deadlines = hurryDeadlines();
});
afterEach(() => deadlines.restore());

/** Functions that send a response that never ends. */
const endless: Record<string, (response: ServerResponse) => void> = {
	body: (response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		const timer = setInterval(() => response.write(' '), 20);
		response.on('close', () => clearInterval(timer));
	},
	header: ({ socket }) => {
		socket!.write('HTTP/1.1 200 OK\r\nx-slow: ');
		const timer = setInterval(() => socket!.write('x'), 20);
		socket!.on('close', () => clearInterval(timer));
	},
};

describe('Token exchange', () => {
	test.each(Object.keys(endless))(
		'ends after 20 seconds for all waiting requests and is repeated later, with a slow %s',
		async (what) => {
			const custom = await startCustomPlatform(platform);
			custom.exchange = endless[what]!;
			const first = platform.run();
			await until(() => custom.exchanges().length === 1);
			const results = await Promise.all([first, platform.run()]);
			expect(deadlines.durations).toContain(20_250);
			for (const { error } of results) {
				expect(error).toMatchObject({
					...notSent(/could not get an access token from .*no response arrived in time/),
					failure: { cause: 'temporarily-unavailable' },
				});
			}
			await until(() => custom.exchanges().every(({ socket }) => socket.destroyed));
			expect(custom.exchanges()).toHaveLength(1);
			deadlines.restore();
			custom.exchange = giveToken;
			expect((await platform.run()).error).toBeUndefined();
			expect(custom.posts()).toHaveLength(1);
			await custom.stop();
		},
	);

	test('ends when n8n takes too long to store the token, which the post then uses', async () => {
		const { store } = platform;
		const update = store.updateCredentials.bind(store);
		let isStored = false;
		let end: () => void = () => {};
		const ended = new Promise<void>((resolve) => (end = resolve));
		store.updateCredentials = async (...args) => {
			await ended;
			await update(...args);
			isStored = true;
		};
		const { error } = await platform.run({ options: { timeout: 1 } });
		expect(error).toBeUndefined();
		expect(deadlines.durations).toEqual(expect.arrayContaining([25_000, 1_250]));
		expect(isStored).toBe(false);
		end();
		await until(() => isStored);
		await soon();
		expect(platform.received('createPost')).toHaveLength(1);
	});
});
