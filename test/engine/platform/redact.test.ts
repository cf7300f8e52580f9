import { loopback } from '../../loopback';
import type { NodeRun } from '../harness/engine';
import { startPlatform, type Platform } from '../harness/platform';
import { withToken } from '../../storedToken';

let platform: Platform;
beforeEach(async () => {
	platform = await startPlatform();
});
afterEach(async () => await platform.stop());

/** Returns everything that n8n stores with an execution, as text. */
async function executionText(onError: NodeRun['onError']): Promise<string> {
	const { run, error, outputs } = await platform.run({ options: { timeout: 0.6 } }, { onError });
	return JSON.stringify([run, error, outputs, error instanceof Error ? error.stack : undefined]);
}

const secrets = () => [
	platform.emulator.appSecret,
	...platform.emulator.tokens.map(({ token }) => token),
];

test.each([
	'echo-secrets',
	'refused',
	'server-error-after',
	'reset-after',
	'html',
	'truncated-json',
	'unauthorized-401',
	'token-rejected-200',
	'no-answer',
] as const)(
	'An execution contains neither the App Secret nor a token after the fault %s',
	async (kind) => {
		const modes = [undefined, 'continueErrorOutput', 'continueRegularOutput'] as const;
		for (const onError of kind === 'echo-secrets' ? modes : modes.slice(1, 2)) {
			platform.emulator.fault({ kind, operation: 'createPost', times: 2 });
			const text = await executionText(onError);
			for (const secret of secrets()) {
				expect(text).not.toContain(secret);
				expect(text).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
			}
			platform.emulator.clearFaults();
		}
		expect(secrets().length).toBeGreaterThan(1);
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

test('The data of an accepted post for retries contains no secret', async () => {
	const server = await loopback((request, response) => {
		const token = request.headers['x-legacy-token'] as string;
		const data = { action_sn: 'SA1', seen: [token, platform.emulator.appSecret] };
		response.end(JSON.stringify({ success: true, code: 200, requestId: 'r', data }));
	});
	withToken(platform.credential, 'token-0123456789', { baseUrl: server.url });
	const { contextData, outputs } = await platform.run();
	await server.stop();
	for (const left of [contextData, outputs]) {
		const text = JSON.stringify(left);
		expect(text).toContain('SA1');
		expect(text).not.toContain('token-0123456789');
		expect(text).not.toContain(platform.emulator.appSecret);
	}
});
