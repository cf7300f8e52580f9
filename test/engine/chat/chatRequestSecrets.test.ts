import { inspect } from 'node:util';
import type { FaultKind } from '../../emulator';
import { loopback } from '../../loopback';
import {
	chat,
	chatsAt,
	complete,
	eachChat,
	expectNoSecretIn,
	chatOperations,
	TOKEN,
} from '../harness/chats';
import type { NodeRun } from '../harness/engine';
import { itemsOf, jsonOf } from '../harness/manyPosts';
import { startPlatform, usePlatform } from '../harness/platform';
import { withToken } from '../../storedToken';

const platform = usePlatform();

const secret = () => platform.emulator.appSecret;
const store = (fields: object) => Object.assign(platform.credential, fields);

describe.each(chatOperations)('The App Secret in the operation $operation', (chatOperation) => {
	test('is sent only in the header that the credential names', async () => {
		await platform.run(chat(chatOperation));
		const [request] = chatsAt(platform);
		const { authorization, ...others } = request!.headers;
		expect(authorization).toBe(`Bearer ${secret()}`);
		expect(request!.path).toBe(chatOperation.path);
		expectNoSecretIn(platform, JSON.stringify([others, request!.path, request!.rawBody]));
	});

	test.each([
		['X-Api-Key', '', (text: string) => text],
		['api-key', 'Secret', (text: string) => `Secret ${text}`],
		['Authorization', 'Token v=1', (text: string) => `Token v=1 ${text}`],
	])(
		'is sent in the header %s after "%s" if the credential says so',
		async (header, prefix, value) => {
			const fields = { chatAuthHeader: header, chatAuthPrefix: prefix };
			store(fields);
			platform.emulator.adjust(fields);
			const { error } = await platform.run(chat(chatOperation));
			expect(error).toBeUndefined();
			const { [header.toLowerCase()]: sent, ...others } = chatsAt(platform)[0]!.headers;
			expect(sent).toBe(value(secret()));
			expectNoSecretIn(platform, JSON.stringify(others));
		},
	);

	test.each([302, 307])('is not sent to the target of a redirect: HTTP %i', async (status) => {
		const other = await loopback((_, response) => response.end('{}'));
		platform.emulator.fault({ kind: 'redirect', status, location: `${other.url}/x?y=1` });
		const { error } = await platform.run(chat(chatOperation));
		expect(error!.message).toContain(`redirect to ${other.url}/x (HTTP ${status})`);
		expect(other.received).toStrictEqual([]);
		expect(chatsAt(platform)).toHaveLength(1);
		await other.stop();
	});

	test('is sent with spaces inside', async () => {
		const other = await loopback((_, response) => response.end('{}'));
		store({ baseUrl: other.url, appSecret: 'an app secret' });
		await platform.run(chat(chatOperation));
		expect(other.received[0]!.headers.authorization).toBe('Bearer an app secret');
		await other.stop();
	});

	test.each(['with ä', 'with\nline', ' space before', 'space after ', '密钥密钥密钥'])(
		'is reported when it is not allowed in a header: %j',
		async (appSecret) => {
			store({ appSecret });
			const { error } = await platform.run(chat(chatOperation));
			expect(error).toMatchObject({
				message:
					"Nothing was sent for the chat request. 'App Secret' contains characters that are not allowed in an HTTP header, or begins or ends with a space, so the chat operations cannot use it.",
				context: { data: { item_index: 0, outcome: 'not_sent' } },
			});
			expect(platform.emulator.received).toStrictEqual([]);
			expect(inspect(error, { depth: 6 })).not.toContain(appSecret);
		},
	);

	test('is sent without fetching, sending or changing an access token', async () => {
		for (const accessToken of ['', TOKEN]) {
			store({ accessToken });
			for (const kind of [undefined, 'unauthorized-401', 'token-rejected-200'] as const) {
				if (kind) platform.emulator.fault({ kind });
				await platform.run(eachChat(chatOperation), { items: itemsOf(3) });
				await platform.run(chat(chatOperation), { onError: 'continueRegularOutput' });
			}
			expect(platform.credential.accessToken).toBe(accessToken);
		}
		expect(platform.received('getAccessToken')).toStrictEqual([]);
		expect(platform.store.updates).toBe(0);
		const headers = chatsAt(platform).map((request) => request.headers);
		expect(headers.length).toBeGreaterThan(12);
		expect(JSON.stringify(headers)).not.toContain(TOKEN);
		for (const { authorization } of headers) expect(authorization).toBe(`Bearer ${secret()}`);
		expect(headers.some((all) => 'x-legacy-token' in all)).toBe(false);
	});

	test('is read twice per run', async () => {
		const read = platform.store.getDecrypted.bind(platform.store);
		let reads = 0;
		platform.store.getDecrypted = async (...args) => {
			reads++;
			return await read(...args);
		};
		await platform.run(eachChat(chatOperation), { items: itemsOf(20) });
		expect([reads, chatsAt(platform).length]).toStrictEqual([2, 20]);
	});
});

describe('The data of an execution', () => {
	/** Returns everything that n8n stores with an execution, as text. */
	const executionText = async (onError: NodeRun['onError'], timeout: number) => {
		const options = { timeout, rateLimitWait: 0 };
		const { run, error, outputs } = await platform.run(chat(complete, 'Hi', { options }), {
			onError,
		});
		return JSON.stringify([run, error, outputs, error instanceof Error ? error.stack : undefined]);
	};
	const kinds: FaultKind[] = [
		...(['echo-secrets', 'refused', 'unauthorized-401', 'rate-limited-429', 'redirect'] as const),
		...(['server-error-after', 'reset-before', 'reset-after', 'html', 'truncated-json'] as const),
		...(['no-answer', 'stream-cut', 'success-true-code-500'] as const),
	];

	test.each(kinds)(
		'contains neither the App Secret nor a token after the fault %s',
		async (kind) => {
			withToken(platform.credential, TOKEN);
			const modes = [undefined, 'continueErrorOutput', 'continueRegularOutput'] as const;
			for (const onError of kind === 'echo-secrets' ? modes : modes.slice(1, 2)) {
				platform.emulator.fault({ kind });
				expectNoSecretIn(platform, await executionText(onError, kind === 'no-answer' ? 1 : 30));
				expect(chatsAt(platform).at(-1)!.fault).toBe(kind);
			}
		},
	);

	test('contains neither the App Secret nor a token after a response', async () => {
		expectNoSecretIn(platform, await executionText(undefined, 30));
	});

	test('contains neither the App Secret nor a token after a failed connection', async () => {
		await platform.emulator.stop();
		expectNoSecretIn(platform, await executionText(undefined, 30));
		Object.assign(platform, await startPlatform());
	});

	test.each(chatOperations)(
		'contains neither the App Secret nor a token after a response that repeats them: $operation',
		async (chatOperation) => {
			withToken(platform.credential, TOKEN);
			const content = `{"seen":"${secret()} and ${TOKEN} and ${btoa(secret())}"}`;
			const reply = { content, refusal: `No, ${secret()}` };
			platform.emulator.scriptChat([reply, reply]);
			const options = { allowIncomplete: true };
			const asJson = { outputFormat: 'json_object' };
			const good = await platform.run(chat(chatOperation, 'Hi', { ...asJson, options }));
			const bad = await platform.run(chat(chatOperation, 'Hi', asJson));
			expect(jsonOf(good)[0]).toMatchObject({
				text: '{"seen":"[redacted] and [redacted] and [redacted]"}',
				json: { seen: '[redacted] and [redacted] and [redacted]' },
				note: 'The model refused to answer: “No, [redacted]”',
			});
			expect(bad.error!.message).toContain('“No, [redacted]”');
			expectNoSecretIn(platform, JSON.stringify([good.run, bad.run, bad.error]));
		},
	);
});
