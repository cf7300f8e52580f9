import { startEmulator } from '../emulator';
import { calculator } from './aiNodes';
import { attachments, fileOf } from './attachments';
import { FixedPlatform } from './fixedPlatform';
import {
	agents,
	answer,
	ChatModelFlow,
	modelRuns,
	roots,
	type ModelSettings,
} from './chatModelFlow';
import { showing, useChatSetup } from './chatSetup';
import { endlessResponses, EndlessPlatform, type EndlessResponse } from './endlessPlatform';
import { freePort } from '../n8n/ports';
import { pause, until } from './postFlow';
import type { Credential, Execution, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

let setup: Setup;
let credential: Credential;
let flow: ChatModelFlow;
useChatSetup((set) => {
	({ setup, credential } = set);
	flow = new ChatModelFlow(setup, credential);
});

const calls = (...inputs: string[]) => ({
	tool_calls: inputs.map((input) => ({ name: 'Calculator', arguments: { input } })),
});
const DONE = { content: 'That is all, folks.' };

/** The two modes to use a model: with a complete response, or with a stream. */
const modes = {
	'in one response': async (root: WorkflowNode, text: string, more?: ModelSettings) =>
		await flow.run(root, text, more),
	streamed: async (root: WorkflowNode, text: string, more?: ModelSettings) =>
		(await flow.chat(root, text, more)).execution,
};

/** Message and description of the error of an execution. */
const errorText = ({ error }: Execution) => `${error?.message} ${error?.description}`;

describe.each(Object.entries(roots))('%s', (_, makeRoot) => {
	const root = makeRoot();

	it('gets a reply, and n8n shows its usage and no secret', async () => {
		const execution = await flow.run(root, 'hello there');
		expect(execution.status).toBe('success');
		expect(answer(execution, root)).toBe('You said: hello there');
		const [body, ...others] = flow.bodies();
		expect(others).toStrictEqual([]);
		expect(body).toMatchObject({
			model: 'm1',
			messages: [{ role: 'user', content: 'hello there' }],
		});
		expect(body).not.toMatchObject({ stream: true });
		const [run] = modelRuns(execution);
		expect(run?.output?.tokenUsage).toStrictEqual({
			...{ promptTokens: 2, completionTokens: 4, totalTokens: 6 },
		});
		expect(run?.input?.options).toBeDefined();
		expect(JSON.stringify(run)).not.toContain(setup.emulator.appSecret);
	});

	it('sends only the options of the model', async () => {
		const options = {
			...{ temperature: 0, maxTokens: 50, additionalBodyFields: '{"seed": 7}' },
			...{ maxRetries: 1, rateLimitWait: 5, timeout: 60 },
		};
		await flow.run(root, 'hello', { options, parameters: { model: '={{ "m" + 2 }}' } });
		await flow.run(root, 'hello');
		const [sent, bare] = flow.bodies();
		expect(sent).toMatchObject({ model: 'm2', temperature: 0, max_tokens: 50, seed: 7 });
		const names = Object.keys(bare ?? {}).filter((name) => name !== 'stream');
		expect(names.sort()).toStrictEqual(['messages', 'model']);
	});
});

describe.each(agents)('AI Agent $typeVersion', (root) => {
	describe.each(Object.entries(modes))('with replies %s', (mode, ask) => {
		const streamed = mode === 'streamed';

		it.each([
			['one call', ['2*3'], ['6']],
			['two calls in one turn', ['2*3', '5+6'], ['6', '11']],
		])('makes %s of a tool', async (_, inputs, results) => {
			setup.emulator.scriptChat([calls(...inputs), DONE]);
			const execution = await ask(root, 'reckon', { tools: [calculator()] });
			expect(execution.status).toBe('success');
			expect(answer(execution, root)).toBe(DONE.content);
			expect(flow.results()).toStrictEqual(
				results.map((result) => expect.stringContaining(result)),
			);
			const [first, second] = flow.bodies();
			expect(first).toMatchObject({
				tools: [{ type: 'function', function: { name: 'Calculator', parameters: {} } }],
			});
			expect(flow.bodies()).toHaveLength(2);
			expect(called(second?.messages)).toStrictEqual(inputs);
			expect(flow.bodies().every(({ stream }) => (stream ?? false) === streamed)).toBe(true);
		});

		it('calls tools in several turns', async () => {
			setup.emulator.scriptChat([calls('2*3'), calls('6+1'), DONE]);
			const execution = await ask(root, 'reckon', { tools: [calculator()] });
			expect(answer(execution, root)).toBe(DONE.content);
			expect(called(flow.bodies().at(-1)?.messages)).toStrictEqual(['2*3', '6+1']);
		});
	});

	it('streams a reply to an agent with its own instructions', async () => {
		const parameters = { ...root.parameters, options: { systemMessage: 'Be short.' } };
		const { pieces, raw, execution } = await flow.chat({ ...root, parameters }, 'hello there');
		// A part that ends with the first characters of the random secret is sent without them.
		expect(pieces[0]).toMatch(/^Y(ou?)?$/);
		expect(pieces.length).toBeGreaterThanOrEqual(4);
		expect(pieces.join('')).toBe('You said: hello there');
		expect(raw).toMatch(/"type":"end"/);
		expect(execution.status).toBe('success');
		expect(answer(execution, root)).toBe('You said: hello there');
		expect(flow.bodies()).toMatchObject([
			{
				...{ stream: true, stream_options: { include_usage: true } },
				messages: [
					{ role: 'system', content: 'Be short.' },
					{ role: 'user', content: 'hello there' },
				],
			},
		]);
		// n8n's SDK does not pass on the usage of a stream.
		expect(modelRuns(execution)[0]?.output).toHaveProperty('tokenUsageEstimate');
	});

	it.each(Object.entries(attachments))(
		'sends the platform a %s with the text',
		async (_, attachment) => {
			// Agents pass images by default, and PDFs with an option.
			const options = attachment === attachments.PDF ? { passthroughBinaryPdfs: true } : {};
			const agent = { ...root, parameters: { ...root.parameters, options } };
			await flow.run(agent, 'What is it?', { binary: { data: attachment.binary } });
			await flow.chat(agent, { chatInput: 'What is it?', file: fileOf(attachment) });
			const parts = flow
				.bodies()
				.map(({ messages }) => (messages as Array<{ content: unknown }>).at(-1)?.content);
			expect(parts).toStrictEqual(
				Array<unknown>(2).fill(expect.arrayContaining([attachment.part])),
			);
			expect(flow.bodies()).toMatchObject([{}, { stream: true }]);
		},
	);

	const cutOff = /the answer was cut off in the middle/;
	it.each([
		['whose connection breaks', 'stream-cut', cutOff],
		['that ends without an end marker', 'truncated-json', cutOff],
		[
			'that the platform ends with an error',
			'stream-error',
			/the platform ended the answer early: “.+”/,
		],
	] as const)('fails at a reply %s, and does not resend', async (_, kind, reason) => {
		flow.fault({ kind, times: Infinity });
		const { errors, raw, execution } = await flow.chat(root, 'one two three four five six');
		expect(execution.status).toBe('error');
		expect(errorText(execution)).toMatch(reason);
		expect(answer(execution, root)).toBeUndefined();
		expect(raw).not.toMatch(/"type":"end"/);
		expect(errors).toStrictEqual([
			expect.stringMatching(/^No usable response to the chat request: .+\. \w.+\.$/),
		]);
		expect(errors[0]).toMatch(reason);
		expect(flow.received()).toHaveLength(1);
	});
});

describe.each(Object.entries(modes))('a model that answers %s', (mode, ask) => {
	const streamed = mode === 'streamed';
	const root = agents[0]!;

	it('stops at a refused secret after one request, and says what to check', async () => {
		flow.fault({ kind: 'unauthorized-401', times: Infinity });
		const execution = await ask(root, 'hello');
		expect(execution.status).toBe('error');
		expect(errorText(execution)).toMatch(/refused the chat request: .+ \(code \w+: “.+”\)/);
		expect(errorText(execution)).toMatch(/App Secret.*Chat Secret Header/s);
		expect(setup.emulator.received).toHaveLength(1);
	});

	it('waits after a rate limit, and continues', async () => {
		flow.fault({ kind: 'rate-limited-429', retryAfter: 1 });
		const execution = await ask(root, 'hello');
		expect(answer(execution, root)).toBe('You said: hello');
		const [first, again] = flow.received().map(({ at }) => Date.parse(at));
		expect(again! - first!).toBeGreaterThanOrEqual(950);
		expect(flow.received()).toHaveLength(2);
	});

	it.each([
		['server-error-before', 2],
		['reset-after', 1],
	] as const)('resends after %s, up to twice', async (kind, times) => {
		flow.fault({ kind, times });
		const execution = await ask(root, 'hello');
		expect(answer(execution, root)).toBe('You said: hello');
		expect(flow.received()).toHaveLength(times + 1);
	});

	it('reports a platform that never sends a usable response', async () => {
		flow.fault({ kind: 'server-error-before', times: Infinity });
		const execution = await ask(root, 'hello', { options: { maxRetries: 1 } });
		expect(execution.status).toBe('error');
		expect(errorText(execution)).toMatch(/No usable response to the chat request: .*HTTP 500/);
		expect(flow.received()).toHaveLength(2);
	});

	it('reports a refusal after one request', async () => {
		flow.fault({ kind: 'refused', message: '模型不存在', times: Infinity });
		const execution = await ask(root, 'hello');
		expect(errorText(execution)).toMatch(/refused the chat request: .+ \(“模型不存在”\)/);
		expect(flow.received()).toHaveLength(1);
	});

	it('waits for the first piece as long as its timeout', async () => {
		flow.fault({ kind: 'slow-first-token', delayMs: 700 });
		const patient = await ask(root, 'hello', { options: { timeout: 10 } });
		expect(answer(patient, root)).toBe('You said: hello');
		flow.fault({ kind: 'slow-first-token', delayMs: 3000 });
		const options = { timeout: 1, maxRetries: 0 };
		const impatient = await ask(root, 'hello', { options });
		expect(impatient.status).toBe('error');
		expect(errorText(impatient)).toMatch(/No usable response to the chat request/);
		expect(flow.received()).toHaveLength(2);
	});

	it('sends the secret in the header that the credential names, and nowhere else', async () => {
		const { appSecret } = setup.emulator;
		const custom = { chatAuthHeader: 'x-app-key', chatAuthPrefix: '' };
		const emulator = await startEmulator({ appSecret, ...custom });
		const data = { baseUrl: emulator.url, ...custom };
		const other = new ChatModelFlow(setup, await setup.credential('custom', data));
		const execution = streamed
			? (await other.chat(root, 'hello')).execution
			: await other.run(root, 'hello');
		await emulator.stop();
		expect(answer(execution, root)).toBe('You said: hello');
		expect(emulator.received.map(({ headers }) => headers['x-app-key'])).toStrictEqual([appSecret]);
		expect(showing(appSecret, emulator.received, 'x-app-key')).toStrictEqual([]);
	});

	it('redacts secrets that the platform or the model repeats', async () => {
		const { appSecret } = setup.emulator;
		flow.fault({ kind: 'echo-secrets' });
		setup.emulator.scriptChat([{ content: `The secret is ${appSecret}, or so it seems.` }]);
		for (const says of [/refused the chat request/, /^The secret is .*, or so it seems\.$/]) {
			const execution = await ask(root, 'hello');
			expect(answer(execution, root) ?? errorText(execution)).toMatch(says);
			expect(execution.raw).not.toContain(appSecret);
			expect(flow.responses.join()).not.toContain(appSecret);
		}
	});

	it('redacts secrets in tool calls of the model', async () => {
		const { appSecret } = setup.emulator;
		setup.emulator.scriptChat([calls(appSecret), DONE]);
		const execution = await ask(root, 'hello', { tools: [calculator()] });
		expect(answer(execution, root)).toBe(DONE.content);
		expect(flow.bodies()[1]?.messages).toBeDefined();
		expect(JSON.stringify(flow.bodies()[1])).not.toContain(appSecret);
	});

	it.each(['{"input": ', '[1]'])('makes no call with the arguments %s', async (args) => {
		const broken = { name: 'Calculator', arguments: args };
		setup.emulator.scriptChat([{ tool_calls: [broken] }, DONE]);
		const execution = await ask(root, 'hello', { tools: [calculator()] });
		expect(execution.status).toBe('error');
		expect(errorText(execution)).toMatch(
			/^The model called the tool 'Calculator' with arguments that are not a JSON object/,
		);
		expect(flow.received()).toHaveLength(1);
	});

	it('makes a call whose arguments are null', async () => {
		setup.emulator.scriptChat([{ tool_calls: [{ name: 'Calculator', arguments: 'null' }] }, DONE]);
		const execution = await ask(root, 'hello', { tools: [calculator()] });
		expect(answer(execution, root)).toBe(DONE.content);
		expect(flow.results()).toHaveLength(1);
	});

	it('follows no redirect', async () => {
		const elsewhere = await FixedPlatform.start(200, {});
		const location = `${elsewhere.url}/v1/chat/completions`;
		flow.fault({ kind: 'redirect', status: 307, location, times: Infinity });
		const execution = await ask(root, 'hello');
		await elsewhere.stop();
		expect(execution.status).toBe('error');
		expect(errorText(execution)).toMatch(/redirect/);
		expect(elsewhere.paths).toStrictEqual([]);
	});
});

describe('a response that never ends', () => {
	let endless: EndlessPlatform;
	afterEach(async () => await endless?.stop());

	const asking = async (response: EndlessResponse) => {
		endless = await EndlessPlatform.start(response);
		const at = await setup.credential('endless', { baseUrl: endless.url });
		return new ChatModelFlow(setup, at);
	};
	const connectionCloses = async () => await until(() => endless.openConnections === 0);

	it.each(Object.entries(endlessResponses))(
		'fails at the timeout, and closes its connection, when it %s',
		async (where, response) => {
			const options = { timeout: 4, maxRetries: 1 };
			const started = Date.now();
			const other = await asking(response);
			const { execution, errors } = await other.chat(agents[0]!, 'hello', { options });
			expect(execution.status).toBe('error');
			expect(errors).toStrictEqual([
				expect.stringMatching(/^No usable response to the chat request: .* in time.*\. \w.+\.$/),
			]);
			expect(endless.requests).toBe(where.includes('after') ? 1 : 2);
			expect(Date.now() - started).toBeLessThan(60_000);
			await connectionCloses();
		},
	);

	it('fails at the timeout without streaming', async () => {
		const other = await asking(endlessResponses['sends spaces in the middle of its JSON']);
		const options = { timeout: 4, maxRetries: 0 };
		const execution = await other.run(agents[0]!, 'hello', { options });
		expect(errorText(execution)).toMatch(/^No usable response to the chat request: .* in time/);
		expect(endless.requests).toBe(1);
		await connectionCloses();
	});

	it.each(Object.entries(endlessResponses))(
		'is aborted when the execution is stopped, and not requested again, when it %s',
		async (_, response) => {
			const chat = await (await asking(response)).startChat(agents[0]!, 'hello');
			const id = await chat.executionId();
			await until(() => endless.requests > 0);
			await setup.rest.stop(id);
			await connectionCloses();
			expect((await setup.rest.finished(id)).status).toBe('canceled');
			chat.disconnect();
			await pause(1500);
			expect(endless.requests).toBe(1);
		},
	);
});

it('aborts its request when the execution is stopped', async () => {
	flow.fault({ kind: 'no-answer', times: Infinity });
	const id = await flow.start(agents[0]!, 'hello');
	await until(() => flow.received().length > 0);
	const { open } = setup.emulator.connections;
	await setup.rest.stop(id);
	expect((await setup.rest.finished(id)).status).toBe('canceled');
	await until(() => setup.emulator.connections.open < open);
	await pause(1500);
	expect(flow.received()).toHaveLength(1);
});

it('reports that nothing was sent when the connection is refused', async () => {
	const baseUrl = `http://127.0.0.1:${await freePort()}`;
	const nowhere = new ChatModelFlow(setup, await setup.credential('nowhere', { baseUrl }));
	const execution = await nowhere.run(agents[0]!, 'hello');
	expect(errorText(execution)).toMatch(/Nothing was sent for the chat request/);
});

it('n8n stores neither the App Secret nor a token', async () => {
	expect(await setup.sweep({ responses: flow.responses.join('\n') })).toStrictEqual([]);
});

/** The input of each tool call in a conversation that has a result. */
function called(messages: unknown): string[] {
	type Call = { id: string; function: { arguments: string } };
	const all = messages as Array<{ role: string; tool_calls?: Call[]; tool_call_id?: string }>;
	const told = new Set(all.map(({ tool_call_id }) => tool_call_id));
	return all
		.flatMap(({ tool_calls = [] }) => tool_calls)
		.filter(({ id }) => told.has(id))
		.map((one) => (JSON.parse(one.function.arguments) as { input: string }).input);
}
