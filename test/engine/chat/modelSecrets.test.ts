import { inspect } from 'node:util';
import { loopback } from '../../loopback';
import { chatsAt, expectNoSecretIn, TOKEN } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { modelMethods, runWithModel } from '../harness/modelTask';
import { withToken } from '../../storedToken';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
	expect(platform.store.updates).toBe(0);
});

const secret = () => platform.emulator.appSecret;
const store = (fields: object) => Object.assign(platform.credential, fields);

describe.each(modelMethods)('A chat model called with $method', ({ ask }) => {
	const say = async (timeout = 30) =>
		await runWithModel(platform, async (model) => await ask(model, 'Hi'), {
			options: { maxRetries: 0, timeout },
		});

	test.each([
		[TOKEN, 'Authorization', 'Bearer'],
		['', 'X-Api-Key', ''],
	])(
		'sends the App Secret but not the stored token "%s", in the header %s after "%s"',
		async (...given) => {
			const [accessToken, chatAuthHeader, chatAuthPrefix] = given;
			store({ accessToken, chatAuthHeader, chatAuthPrefix });
			platform.emulator.adjust({ chatAuthHeader, chatAuthPrefix });
			const { value } = await say();
			expect(value!.text).toBe('You said: Hi');
			const [request, ...others] = chatsAt(platform);
			const { [chatAuthHeader.toLowerCase()]: sent, ...headers } = request!.headers;
			expect(sent).toBe(`${chatAuthPrefix} ${secret()}`.trim());
			expectNoSecretIn(platform, JSON.stringify([headers, request!.path, request!.rawBody]));
			expect(others).toStrictEqual([]);
			expect(platform.credential.accessToken).toBe(accessToken);
		},
	);

	test('does not send the App Secret to another address', async () => {
		const other = await loopback((_, response) => response.end('{}'));
		for (const status of [302, 307]) {
			platform.emulator.fault({ kind: 'redirect', status, location: `${other.url}/x` });
			expect((await say()).error!.message).toContain(`redirect to ${other.url}/x`);
		}
		expect(other.received).toStrictEqual([]);
		await other.stop();
	});

	test.each([...(['echo-secrets', 'reset-after', 'no-answer', 'stream-cut'] as const)])(
		'stores neither the App Secret nor a token after the fault %s',
		async (kind) => {
			withToken(platform.credential, TOKEN);
			platform.emulator.fault({ kind });
			const { run, error } = await say(kind === 'no-answer' ? 0.5 : undefined);
			expect(error).toBeDefined();
			expectNoSecretIn(platform, JSON.stringify([run, error, error!.stack, error!.message]));
			expectNoSecretIn(platform, inspect(error, { depth: 6 }));
		},
	);
});

test.each(modelMethods)('A chat model called with $method redacts a secret', async ({ ask }) => {
	platform.emulator.scriptChat([{ content: `It is "${secret()}" !` }]);
	const { run, value } = await runWithModel(platform, async (model) => await ask(model, 'Hi'));
	expectNoSecretIn(platform, JSON.stringify([run, value]));
	expect(value!.text).toBe('It is "[redacted]" !');
});

test('The supplied model contains neither secret nor token in its JSON', async () => {
	withToken(platform.credential, TOKEN);
	const { value } = await runWithModel(platform, async (model) => {
		const tool = { name: 'look', description: 'Looks', schema: { type: 'object' } };
		await model.invoke('Hi');
		return [model, model.bindTools([tool])].map((one) => [JSON.stringify(one), one.toJSON()]);
	});
	expect(value).toHaveLength(2);
	expectNoSecretIn(platform, JSON.stringify(value));
});
