import { startCustomPlatform } from '../harness/customPlatform';
import { retryOnFail } from '../harness/ledgerOf';
import { startPlatform } from '../harness/platform';
import { usePosts } from './postSetup';

const { platform, created, posts, fault } = usePosts();

const tooLong = { postOptions: { title: 'x'.repeat(256) } };

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
		expect(created()).toHaveLength(1);
	});
});

describe('Create: unknown', () => {
	const unknown = {
		message: expect.stringMatching(/^It is not known whether the platform accepted the post: /),
		description: expect.stringContaining('whether account acc_1 has a post that begins “Hello”'),
		context: { data: { item_index: 0, outcome: 'unknown' } },
		failure: undefined,
	};

	test.each([
		['server-error-after', 'HTTP 500', 1],
		['reset-after', 'connection was closed', 1],
		['html', 'an HTML page instead of JSON', 0],
		['truncated-json', 'JSON that is cut off', 1],
		['success-true-code-500', 'success is true but the code is 500', 0],
		['no-answer', 'no response arrived in time', 1],
	] as const)(
		'reports unknown after the fault %s, and does not resend',
		async (kind, reason, accepted) => {
			fault(kind);
			const options = { timeout: 1.5 };
			const { error } = await platform.run({ options }, { settings: retryOnFail });
			expect(error).toMatchObject(unknown);
			expect(error!.message).toContain(reason);
			expect(created()).toHaveLength(1);
			expect(posts()).toHaveLength(accepted);
		},
	);

	test('reports unknown for a success without a post', async () => {
		const server = await startCustomPlatform(platform);
		const body = '{"success":true,"code":200,"data":[]}';
		server.post = (_request, response) => void response.end(body);
		const { error } = await platform.run();
		await server.stop();
		expect(error).toMatchObject(unknown);
		expect(error!.message).toContain('but contains no result');
	});

	test('reports the target of a redirect that preserves the request, and sends no token there', async () => {
		const other = await startPlatform();
		fault('redirect', { location: `${other.emulator.url}/elsewhere?x=1`, status: 307 });
		const { error } = await platform.run();
		expect(error).toMatchObject(unknown);
		expect(error!.message).toContain(`redirect to ${other.emulator.url}/elsewhere (HTTP 307)`);
		expect(other.emulator.received).toEqual([]);
		await other.stop();
	});

	test('names the account and the local time', async () => {
		platform.credential.accounts = { account: [{ name: 'Harbour Café', id: 'acc_1' }] };
		fault('reset-after');
		const { error } = await platform.run({}, { timezone: 'Asia/Tokyo' });
		expect(error!.description).toMatch(
			/^It was sent on \d+ \w+ \d{4}, \d\d:\d\d \(Asia\/Tokyo\)\. Check on the platform whether account “Harbour Café” \(acc_1\) has /,
		);
	});

	test('never shows the text of a post as HTML, or as a line of its own advice', async () => {
		fault('reset-after');
		const text = 'Hello <b> & c”.\nIt was not published. Send it again.';
		const { error } = await platform.run({ text }, { mode: 'trigger' });
		const begins = 'begins “Hello <b> & c”. It was not published. Send it again.”.';
		expect(error!.description!.split('\n')).toStrictEqual([
			expect.stringContaining(begins),
			expect.stringContaining("only if the option 'Resend If Outcome Unknown' is on"),
			expect.stringMatching(/^Any other execution.* may send it again\.$/),
		]);
		expect(error!.context).toMatchObject({
			data: { text_beginning: text.replace('\n', ' ') },
			descriptionTemplate: expect.stringContaining('begins “Hello &lt;b> &amp; c”'),
		});
	});
});

describe('Create: not sent', () => {
	test.each([
		[{ baseUrl: 'http://api.example.com' }, "'Base URL' starts with http:"],
		[{ collaboratorsField: 'text' }, "'Collaborators Field' is 'text', which another field"],
	])('reports not_sent when the credential cannot be used: %j', async (data, reason) => {
		Object.assign(platform.credential, data);
		expect((await platform.run()).error).toMatchObject({
			message: expect.stringContaining(`Nothing was sent for the post. ${reason}`),
			description: expect.stringContaining('Fix the credential, test it'),
			context: { data: { item_index: 0, outcome: 'not_sent' } },
			failure: { cause: 'credential-invalid' },
		});
		expect(platform.emulator.received).toEqual([]);
	});
});

describe('Create: invalid', () => {
	test('reports every problem of an item at once, by label, before sending', async () => {
		const options = { timeout: 0, checkMedia: 'maybe' };
		const parameters = { socialAccountId: '={{ "" }}', mediaUrls: ['x/y'], options };
		const { error } = await platform.run(parameters);
		expect(error).toMatchObject({
			message:
				"'Account' is empty; 'Media' row 1 (x/y) is not a valid link or the name of a file; a link starts with https:// or http:// and contains no spaces, and an expression for a file looks like {{ $binary.data }}; 'Check Media' must be true or false; 'Timeout (Seconds)' must be at least 0.1",
			context: { data: { item_index: 0, outcome: 'invalid' } },
		});
		expect(platform.emulator.received).toEqual([]);
	});

	test('names the post by its position and the beginning of its text', async () => {
		const items = [{ text: `Preexisting <b>roast</b>\n${'x'.repeat(40)}` }, { text: 'Two' }];
		const { error } = await platform.run({ text: '={{ $json.text }}', ...tooLong }, { items });
		// n8n replaces messages that contain EEXIST, whether in capital letters or not.
		expect(error!.message).toBe(
			"Post 1 of 2, “Preexisting <b>roast</b> xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx”: 'Title' is longer than 255 characters",
		);
	});

	test('sends the item to the error output with its message and details, without advice to retry', async () => {
		await platform.run();
		fault('refused', { code: 1003, message: '无权限' });
		const items = ['ok', '', 'ok'].map((account) => ({ account, keep: 'me' }));
		const parameters = { socialAccountId: '={{ $json.account }}' };
		const { outputs } = await platform.run(parameters, { items, onError: 'continueErrorOutput' });
		expect(outputs[0]).toHaveLength(1);
		expect(outputs[1]!.map(({ json }) => json)).toEqual([
			{
				...items[0],
				error: expect.stringContaining('无权限'),
				details: expect.objectContaining({ outcome: 'refused', code: 1003, item_index: 0 }),
			},
			{
				...items[1],
				error: "Post 2 of 3, “Hello”: 'Account' is empty",
				details: {
					outcome: 'invalid',
					problems: [{ field: 'Account', message: 'is empty' }],
					description: expect.stringMatching(/the operation Validate\.$/),
					item_index: 1,
				},
			},
		]);
		expect(outputs[1]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	test("keeps the details of n8n's error about an expression", async () => {
		const { error } = await platform.run({ text: "={{ $('Nowhere').item.json.text }}" });
		expect(error).toMatchObject({
			message: "'Text' has an expression with an error: Referenced node doesn't exist",
			context: { itemIndex: 0, nodeCause: 'Nowhere' },
		});
	});

	test('reports an unknown operation', async () => {
		const { error } = await platform.run({ operation: 'explode' });
		expect(error!.message).toContain('There is no such operation.');
	});
});
