import { chatsAt } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { shown, think } from '../harness/thinking';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
});

const chats = () => chatsAt(platform);

describe('A chat model with invalid settings fails before it sends', () => {
	test('and names every field by its label', async () => {
		const options = {
			...{ temperature: 3, maxTokens: 0, maxRetries: -1, timeout: 0, rateLimitWait: -1 },
		};
		const outcome = await think(platform, async (model) => await model.invoke('Hi'), {
			...{ model: '={{ $json.none }}', options },
		});
		const labels = ['Model', 'Temperature', 'Max Tokens', 'Max Retries', 'Timeout (Seconds)'];
		for (const label of [...labels, 'Wait for Rate Limits (Seconds)']) {
			expect(shown(outcome)).toContain(`'${label}' `);
		}
		expect(chats()).toStrictEqual([]);
	});

	test.each(['model', 'messages', 'tools', 'temperature', 'max_tokens', 'stream'])(
		'when Other Fields (JSON) contains %s',
		async (name) => {
			const options = { additionalBodyFields: JSON.stringify({ [name]: 1 }) };
			const outcome = await think(platform, async (model) => await model.invoke('Hi'), { options });
			expect(shown(outcome)).toContain(`'Other Fields (JSON)' contains '${name}'`);
			expect(chats()).toStrictEqual([]);
		},
	);

	test.each(['', '={{ null }}', '={{ $json.none }}'])(
		'when the model is empty: "%s"',
		async (model) => {
			const outcome = await think(platform, async (asked) => await asked.invoke('Hi'), { model });
			expect(shown(outcome)).toContain("'Model' is empty");
			expect(chats()).toStrictEqual([]);
		},
	);

	test('when the credential is unusable', async () => {
		Object.assign(platform.credential, { baseUrl: 'http://api.example.com' });
		const outcome = await think(platform, async (model) => await model.invoke('Hi'));
		expect(shown(outcome)).toMatch(
			/Nothing was sent for the chat request\. 'Base URL' starts with/,
		);
	});

	test('when no header can contain the secret', async () => {
		Object.assign(platform.credential, { appSecret: '密钥密钥密钥' });
		const outcome = await think(platform, async (model) => await model.invoke('Hi'));
		expect(shown(outcome)).toContain(
			"'App Secret' contains characters that are not allowed in an HTTP header",
		);
		expect(platform.emulator.received).toStrictEqual([]);
	});
});
