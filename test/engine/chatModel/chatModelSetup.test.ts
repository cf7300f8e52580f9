import { chatsAt } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { errorTextOf, runWithModel } from '../harness/modelTask';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
});

const chats = () => chatsAt(platform);

describe('A chat model with invalid settings', () => {
	test('reports every field by its label before sending', async () => {
		const options = {
			...{ temperature: 3, maxTokens: 0, maxRetries: -1, timeout: 0, rateLimitWait: -1 },
		};
		const outcome = await runWithModel(platform, async (model) => await model.invoke('Hi'), {
			...{ model: '={{ $json.none }}', options },
		});
		const labels = ['Model', 'Temperature', 'Max Tokens', 'Max Retries', 'Timeout (Seconds)'];
		for (const label of [...labels, 'Wait for Rate Limits (Seconds)']) {
			expect(errorTextOf(outcome)).toContain(`'${label}' `);
		}
		expect(chats()).toStrictEqual([]);
	});

	test.each(['model', 'messages', 'tools', 'temperature', 'max_tokens', 'stream'])(
		'fails before sending when Other Fields (JSON) contains %s',
		async (name) => {
			const options = { additionalBodyFields: JSON.stringify({ [name]: 1 }) };
			const outcome = await runWithModel(platform, async (model) => await model.invoke('Hi'), {
				options,
			});
			expect(errorTextOf(outcome)).toContain(`'Other Fields (JSON)' contains '${name}'`);
			expect(chats()).toStrictEqual([]);
		},
	);

	test('fails before sending when the credential is unusable', async () => {
		Object.assign(platform.credential, { baseUrl: 'http://api.example.com' });
		const outcome = await runWithModel(platform, async (model) => await model.invoke('Hi'));
		expect(errorTextOf(outcome)).toMatch(
			/Nothing was sent for the chat request\. 'Base URL' starts with/,
		);
	});

	test('fails before sending when the secret is not allowed in a header', async () => {
		Object.assign(platform.credential, { appSecret: '密钥密钥密钥' });
		const outcome = await runWithModel(platform, async (model) => await model.invoke('Hi'));
		expect(errorTextOf(outcome)).toContain(
			"'App Secret' contains characters that are not allowed in an HTTP header",
		);
		expect(platform.emulator.received).toStrictEqual([]);
	});
});
