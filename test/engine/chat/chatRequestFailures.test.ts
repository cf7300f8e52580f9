import type { FaultSpec } from '../../emulator';
import { chat, chatsAt, eachChat, chatOperations } from '../harness/chats';
import { retryOnFail } from '../harness/ledgerOf';
import { jsonOf } from '../harness/manyPosts';
import { startPlatform, usePlatform } from '../harness/platform';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
});

const fault = (kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
	platform.emulator.fault({ kind, ...more });

describe.each(chatOperations)('The operation $operation', (chatOperation) => {
	const ask = async (options = {}, more = {}) =>
		await platform.run(chat(chatOperation, 'Hello', { options }), more);

	describe('when the platform refuses', () => {
		test("reports the platform's message, its code and an explanation", async () => {
			fault('refused', { status: 404, code: 'model_not_found', message: 'no such model' });
			const { error } = await ask();
			expect(error).toMatchObject({
				message: expect.stringMatching(
					/^The platform refused the chat request: there is no such model.+ \(code model_not_found: “no such model”\)$/,
				),
				description: expect.stringMatching(/^[A-Z].*\.$/),
				context: {
					data: { outcome: 'refused', code: 'model_not_found', http_status: 404 },
				},
			});
			expect(chatsAt(platform)).toHaveLength(1);
		});

		test('reports a refusal in the business envelope with any HTTP status', async () => {
			fault('refused', { code: 2150, message: '参数错误' });
			expect((await ask()).error).toMatchObject({
				message:
					'The platform refused the chat request: the request was not accepted (code 2150: “参数错误”)',
				description: expect.stringMatching(/Request ID: [\w-]+\.$/),
				context: { data: { outcome: 'refused', code: 2150, http_status: 200 } },
			});
		});

		test.each([
			['refused-without-code', /^The platform refused the chat request: it gave no code \(“.+”\)$/],
			['success-false-code-200', /^The platform refused the chat request: .+ \(code 200: “/],
		] as const)('reports a refusal for the fault %s', async (kind, message) => {
			fault(kind);
			const { error } = await ask();
			expect(error!.message).toMatch(message);
			expect(error).toMatchObject({ context: { data: { outcome: 'refused' } } });
		});

		test.each([['unauthorized-401'], ['token-rejected-200']] as const)(
			'sends one request and says what to check after the fault %s',
			async (kind) => {
				fault(kind, { times: 9 });
				const { error } = await ask();
				expect(error).toMatchObject({
					message: expect.stringMatching(/^The platform refused the chat request: .+ \(.*“/),
					description: expect.stringMatching(
						/^Check App Secret and, under Show Advanced Settings, Chat Secret Header and Chat Secret Prefix in the credential\. /,
					),
					context: { data: { outcome: 'refused' } },
				});
				expect(chatsAt(platform)).toHaveLength(1);
			},
		);

		test('reports a used-up quota without waiting', async () => {
			fault('rate-limited-429', { code: 'insufficient_quota', times: Infinity });
			expect((await ask()).error).toMatchObject({
				message: expect.stringContaining('the quota is used up (code insufficient_quota: '),
				description: expect.stringContaining('billing'),
			});
			expect(chatsAt(platform)).toHaveLength(1);
		});
	});

	describe('without a usable response', () => {
		const DESCRIPTION =
			/\w\.\nThe request publishes nothing, so it is safe to send it again\. The platform may count it twice\.$/;

		test.each<[FaultSpec['kind'], string]>([
			['server-error-before', 'the platform responded with HTTP 500: “'],
			['server-error-after', 'the platform responded with HTTP 500: “'],
			['reset-before', 'the connection was closed before a response arrived'],
			['reset-after', 'the connection was closed before a response arrived'],
			['html', 'the platform responded with an HTML page instead of JSON'],
			['truncated-json', 'the platform responded with JSON that is cut off or damaged'],
			['success-true-code-500', 'the platform responded with success is true but the code is 500'],
			['redirect', 'the address responds with a redirect to https://example.invalid/elsewhere'],
		])(
			'reports an unknown outcome after the fault %s, and does not resend',
			async (kind, reason) => {
				fault(kind);
				const { error } = await ask();
				const data = { outcome: 'unknown', reason: expect.stringContaining(reason) };
				expect(error).toMatchObject({ context: { data: { ...data, item_index: 0 } } });
				expect(error!.description).toMatch(DESCRIPTION);
				expect(error!.message).toContain(`No usable response to the chat request: ${reason}`);
				expect(chatsAt(platform)).toHaveLength(1);
			},
		);
	});

	describe('when nothing can be sent', () => {
		test('reports that the platform refuses connections', async () => {
			await platform.emulator.stop();
			expect((await ask()).error).toMatchObject({
				message: 'Nothing was sent for the chat request: the connection was refused',
				description: expect.stringMatching(/^Check that the platform is available/),
				context: { data: { item_index: 0, outcome: 'not_sent' } },
			});
			Object.assign(platform, await startPlatform());
		});

		test('reports every invalid field by its label', async () => {
			const options = { temperature: 3, timeout: 0 };
			const parameters = chat(chatOperation, '={{ $json.none }}', {
				model: '={{ $json.none }}',
				outputFormat: '={{ "xml" }}',
				options,
			});
			const { error } = await platform.run(parameters, { mode: 'trigger' });
			for (const label of ['Model', 'Output Format', 'Temperature', 'Timeout (Seconds)']) {
				expect(error!.message).toContain(`'${label}' `);
			}
			expect(error!.message).toMatch(/'(Messages|Input)' /);
			expect(error).toMatchObject({
				description: expect.stringMatching(
					/^Nothing was sent for this item\. Correct the fields named above\.\n/,
				),
				context: { data: { item_index: 0, outcome: 'invalid', problems: expect.any(Array) } },
			});
			expect(platform.emulator.received).toStrictEqual([]);
		});
	});

	test.each(['refused', 'server-error-after', 'reset-after', 'truncated-json'] as const)(
		'resends after the fault %s with Retry on Fail',
		async (kind) => {
			fault(kind, { times: 2 });
			const { error, outputs } = await ask({}, { settings: retryOnFail });
			expect(error).toBeUndefined();
			expect(jsonOf({ outputs })).toMatchObject([{ text: 'You said: Hello' }]);
			expect(chatsAt(platform)).toHaveLength(3);
		},
	);

	test('resends after an incomplete reply with Retry on Fail', async () => {
		platform.emulator.scriptChat([{}, { finish_reason: 'length', content: 'Half' }]);
		const { outputs } = await ask({}, { settings: retryOnFail });
		expect(jsonOf({ outputs })).toMatchObject([{ text: 'You said: Hello' }]);
		expect(chatsAt(platform)).toHaveLength(3);
	});

	test('sends every item again in another execution and in a retry', async () => {
		fault('refused', { bodyHas: 'two' });
		const items = ['one', 'two'].map((text) => ({ text }));
		const more = { items, settings: retryOnFail, moreRuns: [items] };
		const { runs } = await platform.run(eachChat(chatOperation), more);
		expect(runs.map(([output]) => output!.length)).toStrictEqual([2, 2]);
		expect(chatsAt(platform)).toHaveLength(2 + 2 + 2);
	});
});
