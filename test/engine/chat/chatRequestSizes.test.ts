import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { loopback, type Loopback } from '../../loopback';
import { chat, complete } from '../harness/chats';
import { modelMethods, runWithModel } from '../harness/modelTask';
import { usePlatform } from '../harness/platform';
import { until } from '../harness/storage';
import { withToken } from '../../storedToken';

const MB = 2 ** 20;
const JSON_TYPE = { 'content-type': 'application/json' };

const platform = usePlatform();
let server: Loopback;
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
	server = await loopback((_, response) => answer(response));
	withToken(platform.credential, 'a-token-0123456789', { baseUrl: server.url });
});
afterEach(async () => await server.stop());

const zipped = (text: string) => {
	const bytes = gzipSync(text);
	const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
	answer = (response) => void response.writeHead(200, headers).end(bytes);
};
const completion = (content: string) =>
	JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] });

describe('A response that is too large', () => {
	const TOO_LARGE =
		'No usable response to the chat request: the platform responded with more than 4 MB';
	const POST_TOO_LARGE =
		'It is not known whether the platform accepted the post: the platform responded with more than 4 MB';
	const model =
		({ ask }: (typeof modelMethods)[number]) =>
		async () =>
			await runWithModel(platform, async (chatModel) => await ask(chatModel, 'Hi'), {
				options: { maxRetries: 0 },
			});

	test.each<[string, number, string, () => Promise<{ error?: Error | { message: string } }>]>([
		['Create', 200, POST_TOO_LARGE, async () => await platform.run()],
		['Create Completion', 200, TOO_LARGE, async () => await platform.run(chat(complete))],
		['a chat model that does not stream', 200, TOO_LARGE, model(modelMethods[0]!)],
		['a chat model that streams', 200, TOO_LARGE, model(modelMethods[1]!)],
	])('is aborted by %s when it has no end: HTTP %i', async (_, status, message, run) => {
		answer = (response) => {
			response.writeHead(status, JSON_TYPE);
			response.write(' '.repeat(4 * MB + 1));
		};
		expect((await run()).error!.message).toContain(message);
		await until(() => server.received.every(({ socket }) => socket.destroyed));
	});

	test('is refused by Create Completion if it is compressed', async () => {
		zipped(completion('a'.repeat(5 * MB)));
		const { error } = await platform.run(chat(complete));
		expect(error).toMatchObject({ message: TOO_LARGE, context: { data: { outcome: 'unknown' } } });
	});
});

test('A response may have 3 MB', async () => {
	zipped(completion('a'.repeat(3 * MB)));
	const { error, outputs } = await platform.run(chat(complete));
	expect(error).toBeUndefined();
	expect((outputs[0]![0]!.json.text as string).length).toBe(3 * MB);
});

test.each([
	[
		'a chat request',
		`{"choices":[{"message":{"content":[${'1,'.repeat(50_000)}1]}}]}`,
		chat(complete),
	],
	['a post', `{"success":true,"code":200,"data":[${'{},'.repeat(50_000)}{}]}`, {}],
])(
	'A response with very many values leaves the outcome of %s unknown',
	async (_, body, parameters) => {
		zipped(body);
		const { error } = await platform.run(parameters);
		expect(error!.message).toContain('JSON that has more than 50,000 values or 64 levels');
	},
);
