import type { ReceivedRequest } from '../emulator';
import { say } from '../n8n/progress';
import { saveNumbers } from './results';
import { Setup } from '../n8n/setup';
import { sweep } from '../n8n/sweep';
import { formsOf } from '../n8n/sweepForms';
import { SweepScenario, WRONG_SECRET } from './sweepScenario';

let setup: Setup;
let scenario: SweepScenario;
beforeAll(async () => {
	// With these settings, n8n logs the most.
	const env = { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console,file', N8N_METRICS: 'true' };
	setup = await Setup.start({ env });
	scenario = new SweepScenario(setup, await setup.credential('platform'));
});
afterAll(async () => await setup?.stop());

/** The header that may contain the token or the App Secret, by operation. */
const secretHeaders: Record<string, string> = {
	createPost: 'x-legacy-token',
	chatCompletions: 'authorization',
	responses: 'authorization',
	other: 'authorization',
};

/** A request without this header. */
function withoutSecretHeader({ headers, ...request }: ReceivedRequest): string {
	const { [secretHeaders[request.operation] ?? '']: _, ...others } = headers;
	return JSON.stringify([request, others]);
}

describe('n8n with every part of the package in use', () => {
	test('tests credentials', async () => await scenario.testCredentials());
	test('creates posts', async () => await scenario.post());
	test('sends chat requests', async () => await scenario.chat());
	test('uses the chat model', async () => await scenario.useChatModel());
	test('uses the node as a tool', async () => await scenario.useTools());
	test('receives webhooks', async () => await scenario.receiveWebhooks());
	test('sends nothing to other servers', async () => await scenario.contactOtherServers());

	test('stores and outputs neither the App Secret nor a token in any form', async () => {
		const { emulator, n8n, rest } = setup;
		const started = performance.now();
		const executions = await rest.countExecutions([]);
		const tokens = await setup.tokens();
		const texts = {
			outputs: scenario.outputs.join('\n'),
			requests: emulator.received.map(withoutSecretHeader).join('\n'),
			metrics: await (await fetch(`${n8n.url}/metrics`)).text(),
		};
		expect(await setup.sweep(texts)).toEqual([]);
		expect(sweep({ 'wrong secret': WRONG_SECRET }, { userFolder: n8n.userFolder, texts })).toEqual(
			[],
		);
		const echoes = emulator.received.filter(({ fault }) => fault === 'echo-secrets').length;
		const seconds = Math.round((performance.now() - started) / 1000);
		const facts = {
			...{ executions, tokens: tokens.length, requests: emulator.received.length, echoes },
			...{ forms: formsOf(emulator.appSecret).length, logBytes: n8n.log().length, seconds },
		};
		say(`• Searched for the App Secret and all tokens: ${JSON.stringify(facts)}`);
		saveNumbers('sweep', facts);
		expect(tokens.length).toBeGreaterThan(3);
		expect(echoes).toBeGreaterThan(8);
		// The search reads at most 100 executions.
		expect(executions).toBeLessThan(100);
	});
});

describe('the search', () => {
	const secret = 'p1anted/Secret+with==all "kinds"\\of/letters';
	const nested = JSON.stringify({ log: JSON.stringify({ body: JSON.stringify({ secret }) }) });

	test.each([
		['unchanged', `x${secret}y`],
		['in JSON', JSON.stringify({ secret })],
		['in JSON inside JSON', nested],
		['with escaped slashes', JSON.stringify({ secret }).replaceAll('/', '\\/')],
		[
			'as Unicode escape sequences',
			secret.replace(/[^a-z]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
		],
		['in base64', Buffer.from(`1${secret}`).toString('base64')],
		['in base64url', Buffer.from(`12${secret}`).toString('base64url')],
		['in hex', Buffer.from(secret).toString('hex').toUpperCase()],
		['percent-encoded', encodeURIComponent(secret)],
		['percent-encoded twice', encodeURIComponent(encodeURIComponent(secret))],
		['as a form', new URLSearchParams({ secret }).toString()],
		['backwards', [...secret].reverse().join('')],
		['in UTF-16', Buffer.from(secret, 'utf16le').toString('latin1')],
		['as a Buffer', JSON.stringify(Buffer.from(secret))],
	])('finds a secret %s', (_, text) => {
		expect(sweep({ secret }, { texts: { here: text } })).toContainEqual(
			expect.objectContaining({ secret: 'secret', where: 'here' }),
		);
	});

	test('finds nothing in a text without a secret', () => {
		expect(sweep({ secret }, { texts: { here: nested.replaceAll('p1anted', 'planted') } })).toEqual(
			[],
		);
	});
});
