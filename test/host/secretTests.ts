import { agent } from './aiNodes';
import { ChatFlow, complete, respond } from './chatFlow';
import { ChatModelFlow } from './chatModelFlow';
import { byText, items, outputOf, PostFlow, PostTexts } from './postFlow';
import { send, TriggerFlow } from './triggerFlow';
import type { PostSetup } from './postSetup';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { sweep } from '../n8n/sweep';

let setup: Setup;
let credential: Credential;

const PLANTED = `planted/+${'x'.repeat(20)}=="secret"`;
const settings = { onError: 'continueErrorOutput' };

/** The App Secret and the current token in several forms, as a platform can repeat them. */
function secrets(): string {
	const { appSecret, tokens } = setup.emulator;
	const forms = [appSecret, tokens.at(-1)!.token].flatMap((one) => [
		...[one, encodeURIComponent(one)],
		...[Buffer.from(one).toString('base64'), `{"k":${JSON.stringify(one)}}`],
	]);
	return forms.join(' ');
}

/** Parts of the package, which a platform answers with its secrets where it can. */
const parts = {
	async testCredential() {
		for (const kind of [undefined, 'echo-secrets', 'html'] as const) {
			if (kind) setup.emulator.fault({ kind, operation: 'getAccessToken' });
			setup.shown.push((await setup.rest.testCredential(credential)).message);
		}
	},
	async post() {
		const texts = new PostTexts(setup.emulator);
		await setup.rest.testCredential(credential);
		const message = secrets();
		texts.fault('1', { kind: 'echo-secrets' });
		texts.fault('2', { kind: 'refused', message });
		texts.fault('3', { kind: 'html', message });
		texts.fault('4', { kind: 'redirect', location: `${setup.emulator.url}/x?${message}` });
		texts.fault('5', { kind: 'token-rejected-200', message });
		const flow = await PostFlow.active(setup, credential, { settings });
		await flow.run(items('0', '1', '2', '3', '4', '5'));
		texts.fault('key', { kind: 'echo-secrets', times: 2 });
		const { id } = await (await PostFlow.active(setup, credential, byText())).run(items('key'));
		await setup.rest.retry(id);
	},
	async chat() {
		for (const operation of [complete, respond]) {
			const flow = new ChatFlow(setup, credential, operation);
			flow.fault({ kind: 'echo-secrets' }, 'a');
			flow.fault({ kind: 'refused', message: secrets(), envelope: true }, 'b');
			flow.fault({ kind: 'unauthorized-401', message: secrets() }, 'c');
			setup.emulator.scriptChat([{ content: secrets(), bodyHas: '"d"' }]);
			const execution = await flow.run(['a', 'b', 'c', 'd'], settings);
			expect(outputOf(execution, 'Post')).toHaveLength(1);
		}
	},
	async streamChat() {
		const flow = new ChatModelFlow(setup, credential);
		setup.emulator.scriptChat([{ content: `It is ${secrets()}.` }]);
		await flow.chat(agent(3.1), 'say it');
		for (const kind of ['echo-secrets', 'stream-error'] as const) {
			flow.fault({ kind, message: secrets(), times: 3 });
			await flow.chat(agent(3.1), 'hello');
			setup.emulator.clearFaults();
		}
	},
	async receiveWebhooks() {
		const { emulator } = setup;
		const flow = await TriggerFlow.active(setup, credential);
		const message = secrets();
		// Longer than a page of the database, so that the file stores it in several parts.
		const planted = ['-'.repeat(6_000), PLANTED];
		const data = { action_sn: 'SA1', status: 'failed', message, [message]: [message], planted };
		const to = { url: flow.url, headers: { 'X-Echo': message.slice(0, 500) } };
		const { headers, body } = await emulator.deliver({ id: 'evt_1', data }, to);
		for (const signature of ['a'.repeat(64), message]) {
			const forged = { ...headers, 'X-Webhook-Signature': signature };
			setup.shown.push((await send(flow.url, forged, body)).body);
		}
		await flow.newest();
	},
};

/** Searches everything that n8n stores, logs and shows for secrets. */
export function testSecrets(started: () => PostSetup): void {
	beforeAll(() => ({ setup, credential } = started()));

	// The search is the last test, because n8n closes its connections while the test process searches.
	test('n8n stores, logs and shows neither the App Secret nor a token that the platform repeats', async () => {
		for (const use of Object.values(parts)) await use();
		setup.shown.push(await (await fetch(`${setup.n8n.url}/metrics`)).text());
		expect(await setup.sweep()).toEqual([]);
		// The search finds what an execution contains.
		const { userFolder } = setup.n8n;
		expect(sweep({ PLANTED }, { userFolder })).toContainEqual({
			...{ secret: 'PLANTED', form: 'clear' },
			where: expect.stringMatching(/execution_data\.data/) as string,
		});
		expect(setup.tokens().length).toBeGreaterThan(2);
		const echoes = setup.emulator.received.filter(({ fault }) => fault === 'echo-secrets');
		expect(echoes.length).toBeGreaterThan(6);
	});
}
