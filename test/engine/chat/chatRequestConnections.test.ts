import { chat, complete, respond } from '../harness/chats';
import { endless, headersOnly, openServer, silent, type OpenServer } from '../harness/openServer';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const platform = usePlatform();
let server: OpenServer;
afterEach(async () => await server.stop());

const JSON_TYPE = 'application/json';
const answers = [
	{ name: 'nothing', answer: silent },
	{ name: 'headers and no body', answer: headersOnly(JSON_TYPE) },
	{ name: 'endless spaces', answer: endless(JSON_TYPE, ' ') },
	{ name: 'an endless refusal', answer: endless(JSON_TYPE, ' ', 400) },
	{ name: 'an endless HTML page', answer: endless('text/html', '<p>', 502) },
];

describe('The connection of a chat operation', () => {
	test.each(answers)('closes at the timeout when the platform sends $name', async ({ answer }) => {
		server = await openServer(platform, answer);
		const { error } = await platform.run(chat(complete, 'Hello', { options: { timeout: 0.3 } }));
		expect(error!.message).toMatch(
			/^(No usable response to|Nothing was sent for) the chat request: no .* in time/,
		);
		expect(await server.closed()).toBeLessThan(30_000);
		// On a busy machine, the timeout may end before the request arrives.
		expect(server.received.length).toBeLessThanOrEqual(1);
	});

	test.each(answers)('closes on cancellation when the platform sends $name', async ({ answer }) => {
		server = await openServer(platform, answer);
		const running = platform.start(chat(respond, 'Hello'));
		await until(() => server.received.length === 1);
		await soon();
		running.cancel();
		const { run } = await running.done;
		expect(run.status).toBe('canceled');
		expect(await server.closed()).toBeLessThan(30_000);
		expect(server.received).toHaveLength(1);
	});
});

test('A timeout of one item does not close the connections of others', async () => {
	server = await openServer(platform, endless(JSON_TYPE, ' '));
	const items = [{ timeout: 1 }, { timeout: 60 }];
	const options = { timeout: '={{ $json.timeout }}' };
	const more = { items, onError: 'continueRegularOutput' as const };
	const running = platform.start(chat(complete, 'Hello', { options }), more);
	const open = () => server.received.filter(({ socket }) => !socket.destroyed).length;
	await until(() => open() === 2);
	await until(() => open() === 1);
	await soon();
	expect(open()).toBe(1);
	running.cancel();
	await running.done;
	expect(await server.closed()).toBeLessThan(30_000);
});
