import { loopback, type Loopback } from '../../loopback';
import { chat, complete } from '../harness/chats';
import { called, calling, delta, done, stop } from '../harness/eventServer';
import { usePlatform } from '../harness/platform';
import { modelMethods, runWithModel } from '../harness/modelTask';

const SECRET = 'k3Y/fOr+cHaTs=0123456789&more';

const php = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/');
const echoes: Record<string, string> = {
	'JSON in JSON': php(SECRET),
	'Unicode escapes': [...SECRET].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join(''),
	HTML: SECRET.replace('&', '&amp;').replace('/', '&#47;'),
	hexadecimal: Buffer.from(SECRET).toString('hex'),
	'upper-case hexadecimal': Buffer.from(SECRET).toString('hex').toUpperCase(),
	'percent encoding twice': encodeURIComponent(encodeURIComponent(SECRET)),
	'the base64 of a longer text': Buffer.from(`Bearer ${SECRET};`).toString('base64'),
	'the base64url of a longer text': Buffer.from(`{"k":"${php(SECRET)}"}`).toString('base64url'),
};

/** Returns the middle of an encoded secret, which no redacted text may contain. */
const middleOf = (echo: string) => echo.slice(8, -8);

const platform = usePlatform();
let server: Loopback;
let answered: { status?: number; type: string; body: string };
beforeEach(async () => {
	server = await loopback((_, response) => {
		const { status = 200, type, body } = answered;
		response.writeHead(status, { 'content-type': type });
		response.end(body);
	});
	Object.assign(platform.credential, { baseUrl: server.url, appSecret: SECRET });
});
afterEach(async () => await server.stop());

describe.each(Object.entries(echoes))('A secret that the platform repeats in %s', (_, echo) => {
	const expectNone = (...shown: unknown[]) => {
		const text = JSON.stringify(shown);
		expect(text).toContain('[redacted]');
		expect(text).not.toContain(JSON.stringify(middleOf(echo)).slice(1, -1));
	};

	test('is redacted in items and in the execution', async () => {
		const message = { content: `Seen: ${echo}` };
		const body = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], [echo]: echo });
		answered = { type: 'application/json', body };
		const { run, outputs } = await platform.run(
			chat(complete, 'Hi', { options: { fullResponse: true } }),
		);
		expect(outputs.flat()).toHaveLength(1);
		expectNone(run, outputs);
	});

	test('is redacted in error messages', async () => {
		answered = {
			...{ status: 400, type: 'application/json' },
			body: JSON.stringify({ error: { message: `Bad key ${echo}`, code: echo } }),
		};
		const { run, error } = await platform.run(chat(complete));
		expectNone(run, error!.message);
	});

	test.each(modelMethods)(
		'is redacted in the reply of a chat model called with $method',
		async ({ ask }) => {
			const letters = [...`Seen: ${echo}.`].map((content) => delta({ content }));
			answered = { type: 'text/event-stream', body: [...letters, stop, done].join('') };
			const whole = {
				choices: [{ message: { content: `Seen: ${echo}.` }, finish_reason: 'stop' }],
			};
			if (ask === modelMethods[0]!.ask) {
				answered = { type: 'application/json', body: JSON.stringify(whole) };
			}
			const { run, value } = await runWithModel(platform, async (model) => await ask(model, 'Hi'));
			expectNone(run, value!.text);
		},
	);

	test('is redacted in streamed tool arguments', async () => {
		const named = { index: 0, id: 'a', type: 'function' };
		const args = JSON.stringify({ seen: `It is ${echo}.` });
		const pieces = [...args].map((letter) =>
			calling({ ...named, function: { name: 'look', arguments: letter } }),
		);
		answered = { type: 'text/event-stream', body: [...pieces, called, done].join('') };
		const { run, value } = await runWithModel(
			platform,
			async (model) => await modelMethods[1]!.ask(model, 'Hi'),
		);
		expect(value!.tool_calls).toHaveLength(1);
		expectNone(run, value!.tool_calls);
	});
});
