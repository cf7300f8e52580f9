import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { delta, stop } from '../harness/eventServer';
import {
	endless,
	headersOnly,
	openServer,
	sendingText,
	silent,
	type OpenServer,
} from '../harness/openServer';
import { usePlatform } from '../harness/platform';
import { soon } from '../harness/storage';
import { modelMethods, piecesOf, startWithModel, runWithModel } from '../harness/modelTask';

const platform = usePlatform();
let server: OpenServer;
afterEach(async () => await server.stop());

const EVENTS = 'text/event-stream';
const JSON_TYPE = 'application/json';
const broken = (response: ServerResponse) => void response.writeHead(500).end();
const busy = (response: ServerResponse) =>
	void response.writeHead(429, { 'retry-after': '0.5' }).end();
const half = delta({ content: 'Half' });
const waits = [
	{ name: 'nothing', answer: silent },
	{ name: 'headers and no body', answer: headersOnly(JSON_TYPE) },
	{ name: 'endless spaces', answer: endless(JSON_TYPE, ' ') },
	{ name: 'an endless HTML page', answer: endless('text/html', '<p>', 502) },
];
const streams = [
	{ name: 'headers and no event', answer: headersOnly(EVENTS) },
	{ name: 'endless comments', answer: endless(EVENTS, ': hm\n\n') },
	{ name: 'an endless line', answer: endless(EVENTS, 'x') },
];
/** Responses that never end, for each method of the model. */
const unanswered = modelMethods.flatMap((one) =>
	(one.method === 'stream' ? streams : waits).map((wait) => ({ ...one, ...wait })),
);

describe.each(unanswered)(
	'The connection of a model called with $method when the platform sends $name',
	(one) => {
		test('closes at the timeout', async () => {
			server = await openServer(platform, one.answer);
			const { error } = await runWithModel(platform, async (model) => await one.ask(model, 'Hi'), {
				options: { timeout: 0.3, maxRetries: 0 },
			});
			expect(error!.message).toMatch(
				/^(No usable response to|Nothing was sent for) .*: no .* in time/,
			);
			expect(await server.closed()).toBeLessThan(30_000);
			// On a busy machine, the timeout may end before the request arrives.
			expect(server.received.length).toBeLessThanOrEqual(1);
		});

		test('closes when LangChain aborts', async () => {
			server = await openServer(platform, one.answer);
			const how = { signal: AbortSignal.timeout(300) };
			const from = Date.now();
			const { error } = await runWithModel(
				platform,
				async (model) => await one.ask(model, 'Hi', how),
			);
			expect(error).toBeDefined();
			expect(await server.closed()).toBeLessThan(30_000);
			expect(Date.now() - from).toBeLessThan(10_000);
		});
	},
);

const [invoke, stream] = modelMethods;

test.each([
	['no response to invoke, with a signal', silent, () => AbortSignal.timeout(300), invoke!],
	['no response to stream, with a timeout', silent, () => 300, stream!],
	['HTTP 500', broken, () => AbortSignal.timeout(300), stream!],
	['a rate limit', busy, () => AbortSignal.timeout(300), invoke!],
])('A model does not resend when LangChain aborts after %s', async (_, answer, how, { ask }) => {
	server = await openServer(platform, answer);
	const { error } = await runWithModel(platform, async (model) => {
		const end = how();
		await ask(model, 'Hi', typeof end === 'number' ? { timeout: end } : { signal: end });
	});
	expect(error).toBeDefined();
	await sleep(900);
	expect(server.received.length).toBeLessThanOrEqual(1);
});

describe('The connection of a stream that stops after its first piece', () => {
	test('closes at the timeout without a resend', async () => {
		server = await openServer(platform, sendingText(half));
		const { error } = await runWithModel(platform, async (model) => await piecesOf(model, 'Hi'), {
			options: { timeout: 1.5 },
		});
		expect(error!.message).toContain('no further part arrived in time');
		expect(await server.closed()).toBeLessThan(30_000);
		expect(server.received).toHaveLength(1);
	});

	test('closes after the end of the reply even if the platform keeps it open', async () => {
		server = await openServer(platform, sendingText(half + stop));
		const { error } = await runWithModel(platform, async (model) => await piecesOf(model, 'Hi'), {
			options: { timeout: 0.4 },
		});
		expect(error).toBeUndefined();
		expect(await server.closed()).toBeLessThan(30_000);
	});

	test('closes when LangChain aborts, without a resend', async () => {
		server = await openServer(platform, sendingText(half));
		const { error } = await runWithModel(platform, async (model) => {
			const controller = new AbortController();
			for await (const { text } of await model.stream('Hi', { signal: controller.signal })) {
				expect(text).toBe('Half');
				controller.abort();
			}
		});
		expect(error).toBeDefined();
		expect(await server.closed()).toBeLessThan(30_000);
		await soon();
		expect(server.received).toHaveLength(1);
	});

	test('closes when the execution is cancelled', async () => {
		server = await openServer(platform, sendingText(half));
		const running = startWithModel(platform, async (model) => {
			for await (const { text } of await model.stream('Hi')) if (text) running.cancel();
		});
		await running.done;
		expect(await server.closed()).toBeLessThan(30_000);
	});

	test('closes when the reader stops', async () => {
		server = await openServer(platform, sendingText(half));
		const { error } = await runWithModel(
			platform,
			async (model) => {
				for await (const { text } of await model.stream('Hi')) if (text) break;
				expect(await server.closed()).toBeLessThan(30_000);
			},
			{ options: { timeout: 5 } },
		);
		expect(error).toBeUndefined();
	});
});
