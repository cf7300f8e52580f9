import { inspect } from 'node:util';
import { loopback } from '../../loopback';
import {
	chat,
	chatOperations,
	chatsAt,
	complete,
	eachChat,
	expectNoSecretIn,
	TOKEN,
} from '../harness/chats';
import { itemsOf, jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { withToken } from '../../storedToken';

const platform = usePlatform();

const secret = () => platform.emulator.appSecret;
const store = (fields: object) => Object.assign(platform.credential, fields);

describe.each(chatOperations)('The App Secret in the operation $operation', (chatOperation) => {
	test.each([
		['Authorization', 'Bearer'],
		['X-Api-Key', ''],
		['Authorization', 'Token v=1'],
	])('is sent only in the header %s after "%s"', async (chatAuthHeader, chatAuthPrefix) => {
		store({ chatAuthHeader, chatAuthPrefix });
		platform.emulator.adjust({ chatAuthHeader, chatAuthPrefix });
		expect((await platform.run(chat(chatOperation))).error).toBeUndefined();
		const { headers, path, rawBody } = chatsAt(platform)[0]!;
		const { [chatAuthHeader.toLowerCase()]: sent, ...others } = headers;
		expect(sent).toBe(`${chatAuthPrefix} ${secret()}`.trim());
		expect(path).toBe(chatOperation.path);
		expectNoSecretIn(platform, JSON.stringify([others, path, rawBody]));
	});

	test('is not sent to the target of a redirect', async () => {
		const other = await loopback((_, response) => response.end('{}'));
		for (const status of [302, 307]) {
			platform.emulator.fault({ kind: 'redirect', status, location: `${other.url}/x?y=1` });
			const { error } = await platform.run(chat(chatOperation));
			expect(error!.message).toContain(`redirect to ${other.url}/x (HTTP ${status})`);
		}
		expect(other.received).toStrictEqual([]);
		await other.stop();
	});

	test('is sent without fetching, sending or changing an access token, and read twice per run', async () => {
		let reads = 0;
		const read = platform.store.getDecrypted.bind(platform.store);
		platform.store.getDecrypted = async (...args) => {
			reads++;
			return await read(...args);
		};
		for (const accessToken of ['', TOKEN]) {
			store({ accessToken });
			for (const kind of ['unauthorized-401', 'token-rejected-200'] as const) {
				await platform.run(eachChat(chatOperation), { items: itemsOf(3) });
				platform.emulator.fault({ kind });
				await platform.run(chat(chatOperation), { onError: 'continueRegularOutput' });
			}
			expect(platform.credential.accessToken).toBe(accessToken);
		}
		expect(platform.received('getAccessToken')).toStrictEqual([]);
		expect(platform.store.updates).toBe(0);
		const headers = chatsAt(platform).map((request) => request.headers);
		expect([headers.length, reads]).toStrictEqual([16, 4 * 2 + 4]);
		expect(JSON.stringify(headers)).not.toContain(TOKEN);
		for (const { authorization } of headers) expect(authorization).toBe(`Bearer ${secret()}`);
		expect(headers.some((all) => 'x-legacy-token' in all)).toBe(false);
	});

	test('is redacted in a response that repeats it', async () => {
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
	});
});

test.each(['with\nline', '密钥密钥密钥'])(
	'A chat operation reports an App Secret that is not allowed in a header: %j',
	async (appSecret) => {
		store({ appSecret });
		const { error } = await platform.run(chat(complete));
		expect(error).toMatchObject({
			message:
				"Nothing was sent for the chat request. 'App Secret' contains characters that are not allowed in an HTTP header, or begins or ends with a space, so the chat operations cannot use it.",
			context: { data: { item_index: 0, outcome: 'not_sent' } },
		});
		expect(platform.emulator.received).toStrictEqual([]);
		expect(inspect(error, { depth: 6 })).not.toContain(appSecret);
	},
);

test.each(['echo-secrets', 'reset-after'] as const)(
	'The data of an execution contains neither the App Secret nor a token after the fault %s',
	async (kind) => {
		withToken(platform.credential, TOKEN);
		platform.emulator.fault({ kind });
		const { run, error } = await platform.run(chat(complete));
		expect(error).toBeDefined();
		expectNoSecretIn(platform, JSON.stringify([run, error, (error as unknown as Error).stack]));
	},
);
