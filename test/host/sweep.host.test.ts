import type { ReceivedRequest } from '../emulator';
import { say } from '../n8n/progress';
import { keepNumbers } from './results';
import { Setup } from '../n8n/setup';
import { sweep } from '../n8n/sweep';
import { formsOf } from '../n8n/sweepForms';
import { Story, WRONG_SECRET } from './sweepScenario';

let setup: Setup;
let story: Story;
beforeAll(async () => {
	// What somebody sets who looks for a fault: then n8n writes down the most.
	const env = { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console,file', N8N_METRICS: 'true' };
	setup = await Setup.start({ env });
	story = new Story(setup, await setup.credential('platform'));
});
afterAll(async () => await setup?.stop());

/** The header in which a request may carry a token, or the secret. */
const legitimate: Record<string, string> = {
	createPost: 'x-legacy-token',
	chatCompletions: 'authorization',
	responses: 'authorization',
	other: 'authorization',
};

/** A request without it. */
function bare({ headers, ...request }: ReceivedRequest): string {
	const { [legitimate[request.operation] ?? '']: _, ...others } = headers;
	return JSON.stringify([request, others]);
}

describe('one n8n in which everything happens once', () => {
	test('tests credentials', async () => await story.testCredentials());
	test('posts', async () => await story.post());
	test('chats', async () => await story.chat());
	test('thinks', async () => await story.think());
	test('lets agents post', async () => await story.useTools());
	test('receives', async () => await story.receive());
	test('is led elsewhere', async () => await story.lookElsewhere());

	test('keeps neither secret nor token, in whatever form, and says none to anybody', async () => {
		const { emulator, n8n, rest } = setup;
		const started = performance.now();
		const executions = await rest.countExecutions([]);
		const tokens = await setup.tokens();
		const texts = {
			heard: story.heard.join('\n'),
			requests: emulator.received.map(bare).join('\n'),
			metrics: await (await fetch(`${n8n.url}/metrics`)).text(),
		};
		expect(await setup.sweep(texts)).toEqual([]);
		expect(sweep({ 'wrong secret': WRONG_SECRET }, { userFolder: n8n.userFolder, texts })).toEqual(
			[],
		);
		const struck = emulator.received.filter(({ fault }) => fault === 'echo-secrets').length;
		const seconds = Math.round((performance.now() - started) / 1000);
		const facts = {
			...{ executions, tokens: tokens.length, requests: emulator.received.length, struck },
			...{ forms: formsOf(emulator.appSecret).length, logBytes: n8n.log().length, seconds },
		};
		say(`• Searched for the App Secret and all tokens: ${JSON.stringify(facts)}`);
		keepNumbers('sweep', facts);
		expect(tokens.length).toBeGreaterThan(3);
		expect(struck).toBeGreaterThan(8);
		// All of them are looked at as the editor shows them.
		expect(executions).toBeLessThan(100);
	});
});

describe('the search itself', () => {
	const secret = 'p1anted/Secret+with==all "kinds"\\of/letters';
	const nested = JSON.stringify({ log: JSON.stringify({ body: JSON.stringify({ secret }) }) });

	test.each([
		['as it is', `x${secret}y`],
		['in JSON', JSON.stringify({ secret })],
		['in JSON within JSON', nested],
		['with its slashes escaped', JSON.stringify({ secret }).replaceAll('/', '\\/')],
		['in codes', secret.replace(/[^a-z]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
		['in base64', Buffer.from(`1${secret}`).toString('base64')],
		['in base64 for URLs', Buffer.from(`12${secret}`).toString('base64url')],
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

	test('finds nothing where there is nothing', () => {
		expect(sweep({ secret }, { texts: { here: nested.replaceAll('p1anted', 'planted') } })).toEqual(
			[],
		);
	});
});
