import { startEmulator } from '../emulator';
import { ChatFlow, complete, respond } from './chatFlow';
import { FixedPlatform } from './fixedPlatform';
import { showing, useChatSetup } from './chatSetup';
import { incompleteReplies, errorCases, invalidParameters } from './chatErrors';
import { endlessResponses, EndlessPlatform } from './endlessPlatform';
import { freePort } from '../n8n/ports';
import { retryOnFail, until } from './postFlow';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

let setup: Setup;
let credential: Credential;
useChatSetup((set) => ({ setup, credential } = set));

const toErrorOutput = { onError: 'continueErrorOutput' };
/** Scripted replies and faults apply to requests in the order of their arrival. */
const oneByOne = { maxConcurrentRequests: 1 };

describe.each([complete, respond])('the chat operation $operation', (way) => {
	const flow = (as = credential) => new ChatFlow(setup, as, way);

	it('sends a request for each item, and returns the reply', async () => {
		const execution = await flow().run(['hello there']);
		expect(execution.status).toBe('success');
		expect(flow().bodies()).toStrictEqual([{ model: 'm1', ...way.asked('hello there') }]);
		expect(flow().items(execution)).toStrictEqual([
			{
				text: 'You said: hello there',
				finish_reason: 'stop',
				usage: expect.objectContaining(way.usage),
				model: 'm1',
				id: expect.stringMatching(/./),
			},
		]);
	});

	it('keeps the order of the items', async () => {
		flow().fault({ kind: 'slow', delayMs: 700 }, 'one');
		const texts = ['one', 'two', 'three', 'four'];
		const execution = await flow().run(texts);
		const output = execution.runs.Chat?.[0]?.data?.main[0] ?? [];
		expect(output.map(({ json }) => json.text)).toStrictEqual(
			texts.map((text) => `You said: ${text}`),
		);
		expect(output.map(({ pairedItem }) => pairedItem)).toStrictEqual(
			texts.map((_, item) => ({ item })),
		);
	});

	it.each([
		['a list', '={{ [{ role: "user", content: $json.text }] }}'],
		['text', '=[{"role": "user", "content": "{{ $json.text }}"}]'],
	])('reads JSON from an expression that returns %s', async (_, json) => {
		const execution = await flow().run(['hello'], { parameters: way.askingJson(json) });
		expect(flow().items(execution)).toMatchObject([{ text: 'You said: hello' }]);
		expect(way.askedJson(flow().bodies()[0]!)).toStrictEqual([{ role: 'user', content: 'hello' }]);
	});

	it('returns parsed JSON for a schema', async () => {
		const schema = {
			type: 'object',
			properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
			required: ['title', 'tags'],
		};
		const parameters = { outputFormat: 'json_schema', jsonSchema: JSON.stringify(schema) };
		const execution = await flow().run(['hello'], { parameters });
		const said = 'You said: hello';
		expect(flow().items(execution)).toMatchObject([{ json: { title: said, tags: [said] } }]);
		const strict = { schemaName: 'caption', strictSchema: true };
		await flow().run(['hello'], { parameters: { ...parameters, ...strict } });
		expect(flow().bodies()).toMatchObject([
			way.format({ type: 'json_schema' }, { name: 'answer', schema, strict: false }),
			way.format({ type: 'json_schema' }, { name: 'caption', schema, strict: true }),
		]);
	});

	it('returns parsed JSON without a schema', async () => {
		const parameters = { outputFormat: 'json_object' };
		const execution = await flow().run(['hello'], { parameters });
		expect(flow().items(execution)).toMatchObject([{ json: { answer: 'You said: hello' } }]);
		expect(flow().bodies()).toMatchObject([way.format({ type: 'json_object' })]);
	});

	it('sends its options, and returns the whole response', async () => {
		const options = {
			temperature: 0,
			maxTokens: 50,
			additionalBodyFields: '{"seed": 7, "metadata": {"a": "b"}}',
			fullResponse: true,
			...{ ...oneByOne, minimumInterval: 0.1, timeout: 60, rateLimitWait: 5 },
		};
		const execution = await flow().run(['hello'], { options });
		expect(flow().bodies()).toStrictEqual([
			{
				...{ model: 'm1', ...way.asked('hello') },
				...{ temperature: 0, [way.maxTokens]: 50, seed: 7, metadata: { a: 'b' } },
			},
		]);
		const [item] = flow().items(execution);
		expect(item?.response).toMatchObject({ id: item?.id, model: 'm1', usage: item?.usage });
	});

	it('returns the tool calls of the model', async () => {
		setup.emulator.scriptChat([{ tool_calls: [{ name: 'post', arguments: { text: 'hi' } }] }]);
		const execution = await flow().run(['hello']);
		expect(flow().items(execution)).toMatchObject([
			{ text: '', finish_reason: 'tool_calls', tool_calls: [expect.anything()] },
		]);
		expect(JSON.stringify(flow().items(execution)[0]?.tool_calls)).toContain('"post"');
	});

	const replies = Object.values(incompleteReplies);

	it('sends incomplete replies to the error output', async () => {
		setup.emulator.scriptChat([...replies.map(({ reply }) => reply), { content: 'fine' }]);
		const texts = [...Object.keys(incompleteReplies), 'fine'];
		const execution = await flow().run(texts, { settings: toErrorOutput, options: oneByOne });
		expect(execution.status).toBe('success');
		expect(flow().items(execution, 0)).toMatchObject([{ text: 'fine' }]);
		expect(flow().items(execution, 1)).toMatchObject(
			replies.map(({ says, text, finish_reason }, item_index) => ({
				error: expect.stringMatching(says),
				details: {
					...{ outcome: 'incomplete', text, finish_reason, model: 'm1', item_index },
					usage: way.usage,
				},
			})),
		);
	});

	it('returns incomplete replies with a note when allowed', async () => {
		setup.emulator.scriptChat(replies.map(({ reply }) => reply));
		const options = { ...oneByOne, allowIncomplete: true };
		const execution = await flow().run(Object.keys(incompleteReplies), { options });
		expect(execution.status).toBe('success');
		expect(flow().items(execution)).toMatchObject(
			replies.map(({ says, text, finish_reason }) => ({
				...{ text, finish_reason, note: expect.stringMatching(says) },
			})),
		);
		expect(flow().items(execution)[0]).toMatchObject({ refusal: 'I would rather not.' });
	});

	it('rejects text when JSON was requested', async () => {
		const parameters = { outputFormat: 'json_object' };
		setup.emulator.scriptChat([{ content: 'Sure! {"a": 1}' }, { content: 'Sure! {"a": 1}' }]);
		const execution = await flow().run(['hello'], { parameters });
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe('The answer is not the requested JSON');
		const options = { allowIncomplete: true };
		const allowed = flow().items(await flow().run(['hello'], { parameters, options }));
		expect(allowed).toMatchObject([{ text: 'Sure! {"a": 1}', note: expect.any(String) }]);
		expect(allowed[0]).not.toHaveProperty('json');
	});

	it('reports the error of each item, and processes the others', async () => {
		for (const [text, { fault }] of Object.entries(errorCases)) flow().fault(fault, text);
		const texts = [...Object.keys(errorCases), 'fine'];
		const execution = await flow().run(texts, { settings: toErrorOutput });
		expect(execution.status).toBe('success');
		expect(flow().items(execution, 0)).toMatchObject([{ text: 'You said: fine' }]);
		expect(flow().items(execution, 1)).toMatchObject(
			Object.values(errorCases).map(({ says, description, outcome }, item_index) => ({
				error: expect.stringMatching(says),
				details: { outcome, item_index, description: expect.stringMatching(description) },
			})),
		);
		// The node has sent each request only once.
		expect(flow().received()).toHaveLength(texts.length);
	});

	it('stops at a refused secret, after one request and without fetching a token', async () => {
		flow().fault({ kind: 'unauthorized-401', times: Infinity });
		const execution = await flow().run(['hello']);
		expect(execution.status).toBe('error');
		const { message, description } = execution.error ?? {};
		expect(`${message} ${description}`).toMatch(/App Secret.*Chat Secret Header/s);
		expect(setup.emulator.received).toHaveLength(1);
	});

	it.each([
		['the error object of public APIs', 400, { error: { message: 'no such model', code: null } }],
		['the envelope, HTTP 200', 200, { success: false, code: 1002, message: 'no such model' }],
		['the envelope, HTTP 400', 400, { success: false, code: 1002, message: 'no such model' }],
	])('reads a refusal in %s', async (_, status, body) => {
		const platform = await FixedPlatform.start(status, body);
		const elsewhere = await setup.credential('fixed', { baseUrl: platform.url });
		const execution = await flow(elsewhere).run(['hello'], { settings: toErrorOutput });
		await platform.stop();
		expect(platform.paths).toHaveLength(1);
		expect(flow().items(execution, 1)).toMatchObject([
			{
				error: expect.stringMatching(
					/^The platform refused the chat request: .+ \(.*“no such model”\)/,
				),
				details: { outcome: 'refused' },
			},
		]);
	});

	it.each([
		['by HTTP 429', { kind: 'rate-limited-429', retryAfter: 1 } as const, 950],
		// The platform does not say how long to wait, so the node waits for about a second.
		['by its message', { kind: 'too-frequent-200' } as const, 450],
	])('waits after a rate limit %s, and continues', async (_, fault, atLeast) => {
		flow().fault(fault, 'hello');
		const execution = await flow().run(['hello', 'there'], { options: oneByOne });
		expect(flow().items(execution)).toMatchObject([
			{ text: 'You said: hello' },
			{ text: 'You said: there' },
		]);
		const [first, again] = flow()
			.received()
			.map(({ at }) => Date.parse(at));
		expect(again! - first!).toBeGreaterThanOrEqual(atLeast);
		expect(flow().received()).toHaveLength(3);
	});

	it('does not wait longer for a rate limit than allowed', async () => {
		flow().fault({ kind: 'rate-limited-429', retryAfter: 60 });
		const started = Date.now();
		const execution = await flow().run(['hello'], { options: { rateLimitWait: 2 } });
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(/refused the chat request/);
		expect(Date.now() - started).toBeLessThan(30_000);
		expect(flow().received()).toHaveLength(1);
	});

	it('fails when no response arrives in time', async () => {
		flow().fault({ kind: 'no-answer' });
		const execution = await flow().run(['hello'], { options: { timeout: 4 } });
		expect(execution.error?.message).toMatch(/^No usable response to the chat request: /);
		expect(flow().received()).toHaveLength(1);
	});

	it('closes the connection of a response that never ends', async () => {
		const endless = await EndlessPlatform.start(
			endlessResponses['sends spaces in the middle of its JSON'],
		);
		const elsewhere = await setup.credential('endless', { baseUrl: endless.url });
		const execution = await flow(elsewhere).run(['hello'], { options: { timeout: 4 } });
		expect(execution.error?.message).toMatch(/^No usable response to the chat request: .* in time/);
		await until(() => endless.openConnections === 0).finally(async () => await endless.stop());
		expect(endless.requests).toBe(1);
	});

	it('reports that nothing was sent when the connection is refused', async () => {
		const baseUrl = `http://127.0.0.1:${await freePort()}`;
		const nowhere = await setup.credential('nowhere', { baseUrl });
		const execution = await flow(nowhere).run(['hello'], { settings: toErrorOutput });
		expect(flow().items(execution, 1)).toMatchObject([
			{
				error: expect.stringMatching(/^Nothing was sent for the chat request: /),
				details: { outcome: 'not_sent' },
			},
		]);
	});

	it('follows no redirect', async () => {
		const elsewhere = await FixedPlatform.start(200, {});
		flow().fault({ kind: 'redirect', status: 307, location: `${elsewhere.url}/v1/` });
		const execution = await flow().run(['hello']);
		await elsewhere.stop();
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(/redirect/);
		expect(elsewhere.paths).toStrictEqual([]);
	});

	it('resends with Retry on Fail', async () => {
		flow().fault({ kind: 'server-error-after' }, 'two');
		const execution = await flow().run(['one', 'two'], { settings: retryOnFail });
		expect(execution.status).toBe('success');
		expect(flow().items(execution)).toMatchObject([
			{ text: 'You said: one' },
			{ text: 'You said: two' },
		]);
	});

	it('names every invalid field, and sends nothing', async () => {
		const { parameters, options, labels } = invalidParameters(way);
		const execution = await flow().run(['hello'], { parameters, options });
		expect(execution.status).toBe('error');
		const { message, description } = execution.error ?? {};
		for (const label of labels) expect(`${message} ${description}`).toMatch(label);
		expect(setup.emulator.received).toStrictEqual([]);
	});

	it.each([
		['x-app-key', ''],
		['x-app-key', 'Key'],
	])('sends the secret in the header %s after “%s”', async (header, prefix) => {
		const { appSecret } = setup.emulator;
		const [chatAuthHeader, chatAuthPrefix] = [header, prefix];
		const emulator = await startEmulator({ appSecret, chatAuthHeader, chatAuthPrefix });
		const data = { baseUrl: emulator.url, chatAuthHeader, chatAuthPrefix };
		const execution = await flow(await setup.credential('custom', data)).run(['hello']);
		await emulator.stop();
		expect(flow().items(execution)).toMatchObject([{ text: 'You said: hello' }]);
		const [request] = emulator.received;
		expect(request?.headers[header]).toBe(`${prefix} ${appSecret}`.trim());
		expect(request?.headers).not.toHaveProperty('authorization');
		expect(showing(appSecret, emulator.received, header)).toStrictEqual([]);
		expect(emulator.received).toHaveLength(1);
	});

	it('redacts secrets that the platform or the model repeats', async () => {
		const { appSecret } = setup.emulator;
		flow().fault({ kind: 'echo-secrets' }, 'one');
		setup.emulator.scriptChat([{ content: `The secret is ${appSecret}, or so it seems` }]);
		const options = { ...oneByOne, fullResponse: true };
		const execution = await flow().run(['one', 'two'], { settings: toErrorOutput, options });
		expect(flow().items(execution, 0)).toMatchObject([
			{ text: expect.stringMatching(/^The secret is .*it seems$/) },
		]);
		expect(flow().items(execution, 1)).toHaveLength(1);
		expect(execution.raw).not.toContain(appSecret);
	});
});

it('Create Completion sends messages of every role', async () => {
	const message = ['system', 'developer', 'assistant', 'user'].map((role) => ({
		role,
		content: `=as {{ $json.text }}, ${role}`,
	}));
	const flow = new ChatFlow(setup, credential, complete);
	await flow.run(['x'], { parameters: { messages: { message } } });
	expect(flow.bodies()[0]?.messages).toStrictEqual(
		message.map(({ role }) => ({ role, content: `as x, ${role}` })),
	);
});

it('Create Response sends instructions', async () => {
	const flow = new ChatFlow(setup, credential, respond);
	await flow.run(['hello'], { parameters: { instructions: '=Answer as {{ $json.text }}' } });
	expect(flow.bodies()).toStrictEqual([
		{ model: 'm1', input: 'hello', instructions: 'Answer as hello' },
	]);
});

it('a stored token is neither sent nor replaced', async () => {
	const tested = await setup.credential('tested');
	await setup.rest.testCredential(tested);
	const { token } = setup.emulator.tokens[0]!;
	expect(setup.arrived('getAccessToken')).toBe(1);
	setup.emulator.received.length = 0;
	const flow = new ChatFlow(setup, tested, complete);
	flow.fault({ kind: 'unauthorized-401' }, 'one');
	await flow.run(['one', 'two'], { settings: toErrorOutput });
	expect(flow.received()).toHaveLength(2);
	expect(JSON.stringify(setup.emulator.received)).not.toContain(token);
});
