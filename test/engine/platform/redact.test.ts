import type { ServerResponse } from 'node:http';
import { loopback, type Loopback } from '../../loopback';
import { respond } from '../harness/customPlatform';
import type { NodeRun } from '../harness/engine';
import { usePlatform, useShortTokenWaits } from '../harness/platform';
import { withToken } from '../../storedToken';

const platform = usePlatform();
useShortTokenWaits();

/** Returns everything that n8n stores with an execution, as text. */
async function executionText(parameters: object, onError?: NodeRun['onError']): Promise<string> {
	const { run, error, outputs } = await platform.run({ ...parameters }, { onError });
	return JSON.stringify([run, error, outputs, error instanceof Error ? error.stack : undefined]);
}

const modes = [undefined, 'continueErrorOutput', 'continueRegularOutput'] as const;

test.each([
	...modes.map((onError) => ['echo-secrets', onError] as const),
	...(['reset-after', 'unauthorized-401', 'no-answer'] as const).map(
		(kind) => [kind, 'continueErrorOutput'] as const,
	),
])(
	'An execution contains neither the App Secret nor a token after the fault %s, with On Error %s',
	async (kind, onError) => {
		platform.emulator.fault({ kind, operation: 'createPost', times: 2 });
		const text = await executionText({ options: { timeout: 0.6 } }, onError);
		const tokens = platform.emulator.tokens.map(({ token }) => token);
		expect(tokens.length).toBeGreaterThan(0);
		for (const secret of [platform.emulator.appSecret, ...tokens]) {
			expect(text).not.toContain(secret);
			expect(text).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
		}
	},
);

test('A rejected and replaced token is redacted in a later response', async () => {
	await platform.run();
	const { token } = platform.emulator.tokens[0]!;
	platform.emulator.fault({ kind: 'token-rejected-200', operation: 'createPost' });
	platform.emulator.fault({ kind: 'refused', operation: 'createPost', message: `not ${token}` });
	const { error } = await platform.run();
	expect(platform.emulator.tokens).toHaveLength(2);
	expect(error!.message).toContain('“not [redacted]”');
});

describe('A secret that the platform repeats', () => {
	const TOKEN = 'tok-PLAINTEXT-of-the-token-0123456789-abcdef-0123456789-abcdef-xyz';
	let server: Loopback;
	let exchange: (response: ServerResponse) => void;
	let answer: (response: ServerResponse) => void;
	beforeEach(async () => {
		server = await loopback((request, response) => {
			const isExchange = request.url!.endsWith('getAccessToken');
			request.resume().on('end', () => (isExchange ? exchange(response) : answer(response)));
		});
		Object.assign(platform.credential, { baseUrl: server.url });
	});
	afterEach(async () => await server.stop());
	const noWait = { options: { rateLimitWait: 0 } };

	test.each([TOKEN, TOKEN.slice(0, 36)])(
		'is redacted in the response to a token request, also where it is shortened: %s',
		async (token) => {
			withToken(platform.credential, token);
			answer = (response) => respond(response, 200, { success: false, code: 1001, message: 'm' });
			const body = { success: false, code: `10 ${token}`, message: 'x'.repeat(270) + token };
			exchange = (response) => respond(response, 429, body, { 'retry-after': token });
			expect(await executionText(noWait)).not.toContain(token.slice(0, 20));
		},
	);

	test.each([
		['where it is shortened', () => 'x'.repeat(270) + TOKEN],
		['in the data to store', (data: object) => `cannot store ${JSON.stringify(data)}`],
	])("is redacted in n8n's error message %s", async (_, messageOf) => {
		exchange = (response) =>
			respond(response, 200, { success: true, code: 200, data: { access_token: TOKEN } });
		answer = (response) => respond(response, 200, { success: false, code: 7, message: 'm' });
		platform.store.updateCredentials = async (_details, _type, data) => {
			throw new Error(messageOf(data));
		};
		expect(await executionText(noWait)).not.toContain(TOKEN.slice(0, 20));
	});

	test('is redacted in the data of an accepted post, also in what a retry uses', async () => {
		withToken(platform.credential, TOKEN, { baseUrl: server.url });
		const seen = [TOKEN, platform.emulator.appSecret];
		const data = { action_sn: 'SA1', seen };
		answer = (response) => respond(response, 200, { success: true, code: 200, data });
		const { contextData, outputs } = await platform.run();
		for (const left of [contextData, outputs]) {
			const text = JSON.stringify(left);
			expect(text).toContain('SA1');
			for (const secret of seen) expect(text).not.toContain(secret);
		}
	});
});
