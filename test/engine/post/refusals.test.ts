import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../emulator';
import { loopback } from '../../loopback';
import { startCustomPlatform } from '../harness/customPlatform';
import { retryOnFail } from '../harness/ledgerOf';
import { startPlatform, usePlatform } from '../harness/platform';
import { withToken } from '../../storedToken';

const platform = usePlatform();

const fault = (kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
	platform.emulator.fault({ kind, operation: 'createPost', ...more });

describe('Create: refused', () => {
	test("reports the platform's message, its code with an explanation, what to do and the request ID", async () => {
		fault('refused', { code: 2150, message: '账号不存在' });
		const { error } = await platform.run();
		expect(error).toMatchObject({
			message:
				'The platform refused the post: the request was not accepted (code 2150: “账号不存在”)',
			description: expect.stringMatching(
				/^Read the platform's message\. .*\nRequest ID: [\w-]+\.$/,
			),
			context: {
				data: { outcome: 'refused', code: 2150, http_status: 200, request_id: expect.any(String) },
			},
		});
		expect(platform.received('createPost')).toHaveLength(1);
	});

	test('reports refused for a refusal without a code', async () => {
		fault('refused-without-code');
		const { error } = await platform.run();
		expect(error!.message).toMatch(/^The platform refused the post: it gave no code \(“.+”\)$/);
	});

	test('reports the target of a redirect that preserves the request, and sends no token there', async () => {
		const other = await startPlatform();
		fault('redirect', { location: `${other.emulator.url}/elsewhere?x=1`, status: 307 });
		const { error } = await platform.run();
		expect(error!.message).toContain(`redirect to ${other.emulator.url}/elsewhere (HTTP 307)`);
		expect(other.emulator.received).toEqual([]);
		await other.stop();
	});
});

describe('Create: unknown', () => {
	const unknown = {
		message: expect.stringMatching(/^It is not known whether the platform accepted the post: /),
		description: expect.stringContaining('whether account acc_1 has a post that begins “Hello”'),
		context: { data: { item_index: 0, outcome: 'unknown' } },
	};

	test.each<[FaultSpec['kind'], string, number]>([
		['server-error-before', 'HTTP 500', 0],
		['server-error-after', 'HTTP 500', 1],
		['reset-before', 'connection was closed', 0],
		['reset-after', 'connection was closed', 1],
		['html', 'an HTML page instead of JSON', 0],
		['truncated-json', 'JSON that is cut off', 1],
		['redirect', 'the address responds with a redirect', 0],
		['success-true-code-500', 'success is true but the code is 500', 0],
	])('reports unknown after the fault %s, and does not resend', async (kind, reason, posts) => {
		fault(kind);
		const { error } = await platform.run({}, { settings: retryOnFail });
		expect(error).toMatchObject({ ...unknown, failure: undefined });
		expect(error!.message).toContain(reason);
		expect(platform.received('createPost')).toHaveLength(1);
		expect(platform.emulator.posts).toHaveLength(posts);
	});

	const deep = '['.repeat(50_000) + ']'.repeat(50_000);
	test.each([
		['a success with HTTP 401', 401, 'true,"code":200,"data":{}', 'HTTP 401, but reports success'],
		['a success without a post', 200, 'true,"code":200,"data":[]', 'but contains no result'],
		['deeply nested data', 200, `true,"code":500,"data":${deep}`, 'more than 50,000 values'],
	])('reports unknown for %s, and does not resend', async (_, status, body, reason) => {
		const server = await startCustomPlatform(platform);
		server.post = (_request, response) =>
			void response.writeHead(status).end(`{"success":${body}}`);
		const { error } = await platform.run();
		await server.stop();
		expect(error).toMatchObject(unknown);
		expect(error!.message).toContain(reason);
		expect(server.posts()).toHaveLength(1);
	});

	test('reports unknown for a response that arrives slowly beyond the timeout', async () => {
		const server = await loopback((_, response) => {
			response.writeHead(200);
			const drop = setInterval(() => response.write(' '), 100);
			response.on('close', () => clearInterval(drop));
		});
		withToken(platform.credential, 'a-token', { baseUrl: server.url });
		const { error } = await platform.run({ options: { timeout: 1.5 } });
		expect(error!.message).toContain('no response arrived in time');
		await server.stop();
	});

	test('reports unknown when no response arrives within the timeout', async () => {
		fault('no-answer');
		const { error } = await platform.run({ options: { timeout: 1.5 } });
		expect(error).toMatchObject(unknown);
		expect(error!.message).toContain('no response arrived in time');
		expect(platform.emulator.posts).toHaveLength(1);
	});

	test('accepts a slow response within the timeout', async () => {
		fault('slow', { delayMs: 50 });
		expect((await platform.run()).error).toBeUndefined();
	});
});

describe('Create: not sent', () => {
	test('reports not_sent when the platform is down', async () => {
		withToken(platform.credential, 'a-token');
		await platform.emulator.stop();
		expect((await platform.run()).error).toMatchObject({
			message: 'Nothing was sent for the post: the connection was refused',
			context: { data: { outcome: 'not_sent' } },
			failure: { cause: 'temporarily-unavailable' },
		});
	});

	test('reports not_sent when the host is unknown', async () => {
		withToken(platform.credential, 'a-token', { baseUrl: 'https://nobody-has-this-name.invalid' });
		expect((await platform.run()).error).toMatchObject({
			message: expect.stringMatching(/Nothing was sent for the post: the host/),
			context: { data: { outcome: 'not_sent' } },
		});
	});

	test('reports not_sent with the reason when there is no token', async () => {
		Object.assign(platform.credential, { appSecret: 'wrong-secret' });
		expect((await platform.run()).error).toMatchObject({
			message: expect.stringMatching(
				/Nothing was sent .* the signature is wrong.* \(code 10108: “/,
			),
			description: expect.stringContaining('Fix the credential, test it'),
		});
		expect(platform.received('createPost')).toEqual([]);
	});

	test('reports not_sent when the credential cannot be used', async () => {
		Object.assign(platform.credential, { baseUrl: 'http://api.example.com' });
		expect((await platform.run()).error).toMatchObject({
			message: expect.stringMatching(
				/^Nothing was sent for the post\. 'Base URL' starts with http:/,
			),
			description: expect.stringContaining('Fix the credential, test it'),
			context: { data: { item_index: 0, outcome: 'not_sent' } },
		});
		expect(platform.emulator.received).toEqual([]);
	});
});

describe('Create: invalid', () => {
	test('reports every problem of an item at once, by label, before sending', async () => {
		const { error } = await platform.run(
			{ socialAccountId: '={{ $json.account }}', mediaUrls: ['={{ $json.url }}'] },
			{
				items: [
					{ account: 'a', url: 'https://a.example/1.jpg' },
					{ account: '', url: 'x/y' },
				],
			},
		);
		expect(error).toMatchObject({
			message:
				"Post 2 of 2, “Hello”: 'Account' is empty; 'Media' row 1 (x/y) is not a valid link or the name of a file; a link starts with https:// or http:// and contains no spaces, and an expression for a file looks like {{ $binary.data }}",
			description: expect.stringContaining('Nothing was sent for this item.'),
			context: { data: { item_index: 1, outcome: 'invalid' } },
		});
		expect(platform.received('createPost')).toHaveLength(1);
	});

	test('names the post by its position and the beginning of its text', async () => {
		const items = [{ text: `Preexisting <b>roast</b>\n${'x'.repeat(40)}` }, { text: 'Two' }];
		const { error } = await platform.run(
			{ text: '={{ $json.text }}', postOptions: { title: 'x'.repeat(256) } },
			{ items },
		);
		// n8n replaces messages that contain EEXIST, whether in capital letters or not.
		expect(error!.message).toBe(
			"Post 1 of 2, “Preexisting <b>roast</b> xxxxxxxxxxxxxxx…”: 'Title' is longer than 255 characters",
		);
	});

	test('describes on lines of their own what to do, for the editor as HTML', async () => {
		const parameters = { postOptions: { title: 'x'.repeat(256) } };
		const { error } = await platform.run(parameters, { mode: 'trigger' });
		expect(error!.description!.split('\n')).toStrictEqual([
			'Nothing was sent for this item. Correct the fields named above. To see the exact request without sending it, use the operation Validate.',
			"To correct the node, change it, save the workflow, and choose 'Retry with currently saved workflow'.",
			'To correct the data, change it where it comes from and start a new execution. A retry uses the old data.',
		]);
		const { descriptionTemplate } = error!.context as { descriptionTemplate: string };
		expect(descriptionTemplate.split('<br>')).toStrictEqual(error!.description!.split('\n'));
	});

	test('does not advise a retry if failed items continue in the workflow', async () => {
		const parameters = { postOptions: { title: 'x'.repeat(256) } };
		const { outputs } = await platform.run(parameters, { onError: 'continueErrorOutput' });
		expect(outputs[1]).toMatchObject([
			{ json: { details: { description: expect.stringMatching(/the operation Validate\.$/) } } },
		]);
	});

	test('escapes the text of a post in the HTML for the editor', async () => {
		platform.emulator.fault({ kind: 'reset-after', operation: 'createPost' });
		const { error } = await platform.run({ text: 'a <b> & c' });
		expect(error!.description).toContain('begins “a <b> & c”');
		expect(error!.context.descriptionTemplate).toContain('begins “a &lt;b> &amp; c”');
	});

	test('never shows the text of a post as a line of its own advice', async () => {
		platform.emulator.fault({ kind: 'reset-after', operation: 'createPost' });
		const text = 'Hello”.\nIt was not published. Send it again.';
		const { error } = await platform.run({ text }, { mode: 'trigger' });
		expect(error!.description!.split('\n')).toStrictEqual([
			expect.stringContaining('begins “Hello”. It was not published. Send it again.”.'),
			expect.stringContaining('A retry of this execution does not send it again'),
		]);
		expect(error!.context.data).toMatchObject({ text_beginning: text });
	});

	test('reports problems of options together with the others', async () => {
		const options = { timeout: 0, checkMedia: 'maybe' };
		const { error } = await platform.run({ contentType: 'x'.repeat(65), options });
		expect(error!.message).toBe(
			"'Content Type' is longer than 64 characters; 'Check Media' must be true or false; 'Timeout (Seconds)' must be at least 0.1",
		);
		expect(platform.emulator.received).toEqual([]);
	});

	const items = ['ok', '', 'ok'].map((account) => ({ account, keep: 'me' }));
	const parameters = { socialAccountId: '={{ $json.account }}' };

	test('sends the other items when the node continues on errors', async () => {
		const { outputs, error } = await platform.run(parameters, {
			items,
			onError: 'continueRegularOutput',
		});
		expect(error).toBeUndefined();
		expect(outputs[0]!.map(({ json }) => json.error)).toEqual([
			undefined,
			"Post 2 of 3, “Hello”: 'Account' is empty",
			undefined,
		]);
		expect(platform.emulator.posts).toHaveLength(2);
	});

	test('sends the item to the error output with its message and details', async () => {
		await platform.run();
		fault('refused', { code: 1003, message: '无权限', times: 1 });
		const { outputs } = await platform.run(parameters, { items, onError: 'continueErrorOutput' });
		expect(outputs[0]).toHaveLength(1);
		expect(outputs[1]!.map(({ json }) => json)).toEqual([
			{
				account: 'ok',
				keep: 'me',
				error: expect.stringContaining('无权限'),
				details: expect.objectContaining({ outcome: 'refused', code: 1003, item_index: 0 }),
			},
			{
				account: '',
				keep: 'me',
				error: "Post 2 of 3, “Hello”: 'Account' is empty",
				details: {
					outcome: 'invalid',
					problems: [{ field: 'Account', message: 'is empty' }],
					description: expect.any(String),
					item_index: 1,
				},
			},
		]);
		expect(outputs[1]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	test('reports an expression that fails with its item', async () => {
		const { outputs } = await platform.run(
			{ text: '={{ $json.missing.deeper }}' },
			{ items: [{ missing: { deeper: 'x' } }, {}], onError: 'continueErrorOutput' },
		);
		expect(platform.emulator.posts.length + outputs[1]!.length).toBe(2);
	});

	test("keeps the details of n8n's error about an expression", async () => {
		const { error } = await platform.run({ text: "={{ $('Nowhere').item.json.text }}" });
		expect(error!.message).toBe(
			"'Text' has an expression with an error: Referenced node doesn't exist",
		);
		expect(error!.context).toMatchObject({ itemIndex: 0, nodeCause: 'Nowhere' });
	});

	test('reports an unknown operation by its name', async () => {
		const { error } = await platform.run({ operation: 'explode' });
		expect(error!.message).toContain("There is no operation 'explode' on 'post'");
	});
});

describe('The cause that n8n can read', () => {
	const causeOf = async (
		kind: FaultSpec['kind'],
		spec: Partial<FaultSpec> = {},
		parameters: IDataObject = {},
	) => {
		platform.emulator.fault({ kind, operation: 'createPost', times: 9, ...spec });
		const { error } = await platform.run({ ...parameters });
		return (error as unknown as { failure?: object }).failure;
	};

	test.each([
		['credential-invalid', 'token-rejected-200', {}],
		['configuration-invalid', 'refused', { code: 1003, message: 'no' }],
		[undefined, 'refused', { code: 2150, message: 'invalid' }],
	] as const)('is %s after the fault %s (%j)', async (cause, kind, spec) => {
		expect(await causeOf(kind, spec)).toStrictEqual(cause && { cause });
	});

	test('of an incomplete credential is the credential', async () => {
		platform.credential.appId = '';
		expect((await platform.run()).error).toMatchObject({
			failure: { cause: 'credential-invalid' },
		});
	});
});
