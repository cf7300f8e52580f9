import type { FaultSpec } from '../../emulator';
import { chatsAt } from '../harness/chats';
import { spanOf } from '../harness/manyPosts';
import { startPlatform, usePlatform } from '../harness/platform';
import { modelMethods, errorTextOf, runWithModel } from '../harness/modelTask';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
});

const chats = () => chatsAt(platform);
const fault = (kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
	platform.emulator.fault({ kind, ...more });
const noRetries = { maxRetries: 0 };

describe.each(modelMethods)('A chat model called with $method', ({ ask }) => {
	const say = async (options: object = {}) =>
		await runWithModel(platform, async (model) => await ask(model, 'one two three'), { options });
	const ANSWER = 'You said: one two three';

	test.each([
		['unauthorized-401', {}, / \(code invalid_api_key: “Incorrect API key provided.”\)/],
		['refused', { status: 400, code: 'x', message: 'no' }, / \(code x: “no”\)/],
		['refused', { code: 2150, message: '参数错误' }, / \(code 2150: “参数错误”\)/],
		['token-rejected-200', {}, / \(code 10104: “access_token 无效或已过期”\)/],
	] as const)('does not resend after a refusal: %s %j', async (kind, more, words) => {
		fault(kind, { ...more, times: Infinity });
		const outcome = await say();
		expect(chats()).toHaveLength(1);
		expect(outcome.error!.message).toMatch(/^The platform refused the chat request: /);
		expect(outcome.error!.message).toMatch(words);
		expect(outcome.error).toMatchObject({ context: { data: { outcome: 'refused' } } });
		expect(errorTextOf(outcome)).toMatch(words);
	});

	test('says what to check when the secret is refused', async () => {
		Object.assign(platform.credential, { appSecret: 'another-secret' });
		const { error } = await say();
		expect(error!.description).toContain(
			'Check App Secret and, under Show Advanced Settings, Chat Secret Header ',
		);
		expect(chats()).toHaveLength(1);
	});

	test.each([302, 307])('does not resend after a redirect: %i', async (status) => {
		fault('redirect', { status, times: Infinity });
		const { error } = await say();
		expect(error!.message).toContain(
			`a redirect to https://example.invalid/elsewhere (HTTP ${status})`,
		);
		expect(chats()).toHaveLength(1);
	});

	test.each([0, 1])('resends no more often than Max Retries allows: %i', async (maxRetries) => {
		fault('server-error-before', { times: Infinity });
		const outcome = await say({ maxRetries });
		expect(chats()).toHaveLength(maxRetries + 1);
		expect(outcome.error!.message).toMatch(
			/^No usable response to the chat request: the platform responded with HTTP 500: “/,
		);
		expect(outcome.error!.description).toContain(
			'The request publishes nothing, so it is safe to ',
		);
		expect(errorTextOf(outcome)).toMatch(/HTTP 500/);
	});

	test('waits for a first piece that is slow', async () => {
		fault('slow-first-token', { delayMs: 200 });
		expect((await say(noRetries)).value!.text).toBe(ANSWER);
	});

	test.each(['no-answer', 'slow-first-token'] as const)(
		'resends when no first piece arrives in time (%s)',
		async (kind) => {
			fault(kind, { delayMs: 60_000 });
			// On a busy machine, further requests may time out.
			const { value } = await say({ timeout: 0.7, maxRetries: 5 });
			expect(value!.text).toBe(ANSWER);
			expect(chats().length).toBeGreaterThanOrEqual(2);
		},
	);

	test('waits after a rate limit and then returns the reply', async () => {
		fault('rate-limited-429', { retryAfter: 0.3 });
		const { value } = await say(noRetries);
		expect(value!.text).toBe(ANSWER);
		expect(chats()).toHaveLength(2);
		expect(spanOf(chats())).toBeGreaterThanOrEqual(290);
	});

	test('does not wait longer than allowed', async () => {
		fault('rate-limited-429', { retryAfter: 61 });
		const { error } = await say();
		expect(error!.message).toMatch(/too many requests/);
		expect(error!.description).toContain('Retry-After 61');
		fault('rate-limited-429', { retryAfter: 0 });
		expect((await say({ rateLimitWait: 0 })).error!.message).toMatch(/too many requests/);
		expect(chats()).toHaveLength(2);
	});

	test('reports once that nothing was sent', async () => {
		await platform.emulator.stop();
		const { error } = await say();
		expect(error).toMatchObject({
			message: 'Nothing was sent for the chat request: the connection was refused',
			context: { data: { outcome: 'not_sent' } },
		});
		Object.assign(platform, await startPlatform());
	});

	test('returns a refusal of the model as text', async () => {
		platform.emulator.scriptChat([{ refusal: 'I would rather not.' }]);
		expect((await say()).value!.text).toBe('I would rather not.');
	});

	test('reports a content filter that removed all text', async () => {
		platform.emulator.scriptChat([{ finish_reason: 'content_filter' }]);
		const { error } = await say();
		expect(error!.message).toBe("The platform's content filter stopped the answer");
		expect(chats()).toHaveLength(1);
	});

	test('reports a tool call that was cut off', async () => {
		const tool_calls = [{ name: 'look', arguments: '{"word":"a' }];
		platform.emulator.scriptChat([{ tool_calls, finish_reason: 'length' }]);
		const { error } = await say();
		expect(error!.message).toBe('The answer was cut off at the token limit');
	});

	test('also reports the error in the run of its own node', async () => {
		fault('unauthorized-401');
		const { run } = await say();
		const [task] = run.data.resultData.runData.Model!;
		expect(task).toMatchObject({
			executionStatus: 'error',
			error: { message: expect.stringContaining('The platform refused the chat request') },
		});
	});
});

describe('A chat model', () => {
	const [invoke, stream] = modelMethods.map(
		({ ask }) =>
			async () =>
				await runWithModel(platform, async (model) => await ask(model, 'one two three')),
	);

	test.each([
		['server-error-before', invoke!],
		['server-error-after', stream!],
		['reset-before', stream!],
		['reset-after', invoke!],
		['html', stream!],
	] as const)('resends after the fault %s', async (kind, say) => {
		fault(kind);
		const { value } = await say();
		expect(value!.text).toBe('You said: one two three');
		expect(chats()).toHaveLength(2);
	});

	test('resends twice by default, and waits longer the second time', async () => {
		fault('server-error-before', { times: Infinity });
		await invoke!();
		const [first, second, third, ...others] = chats().map(({ at }) => Date.parse(at));
		expect(second! - first!).toBeGreaterThanOrEqual(490);
		expect(third! - second!).toBeGreaterThanOrEqual(990);
		expect(others).toStrictEqual([]);
	});
});
