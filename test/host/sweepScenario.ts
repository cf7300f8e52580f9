import { loopback } from '../loopback';
import { AgentFlow, PostingAgent } from './agentFlow';
import { agent, calculator, chain, ownModel } from './aiNodes';
import { ChatFlow, complete, respond } from './chatFlow';
import { ChatModelFlow } from './chatModelFlow';
import { byId } from './keyedPosts';
import { items, PostFlow, retryOnFail } from './postFlow';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';
import { send, TriggerFlow } from './triggerFlow';

const continueOnError = { onError: 'continueErrorOutput' };

/** A wrong App Secret, as a user may enter it. */
export const WRONG_SECRET = 'wr0ng/Secret+of==someone-else-42';

/** Uses every part of the package with a platform that repeats secrets where it can. */
export class SweepScenario {
	/** Texts that n8n has sent to people and other programs. */
	readonly outputs: string[] = [];

	constructor(
		private readonly setup: Setup,
		private readonly credential: Credential,
	) {}

	/** The App Secret and the current token in several forms, as a platform can repeat them. */
	private secrets(): string {
		const { appSecret, tokens } = this.setup.emulator;
		const current = [appSecret, tokens.at(-1)!.token];
		const forms = current.flatMap((one) => [
			...[one, encodeURIComponent(one)],
			...[Buffer.from(one).toString('base64'), `{"k":${JSON.stringify(one)}}`],
		]);
		return forms.join(' ');
	}

	async testCredentials(): Promise<void> {
		const { rest, emulator } = this.setup;
		const test = async (credential: Credential) =>
			this.outputs.push(JSON.stringify(await rest.testCredential(credential)));
		await test(this.credential);
		const wrong = { ...this.credential.data, appSecret: WRONG_SECRET };
		await test(await rest.createCredential({ ...this.credential, name: 'wrong', data: wrong }));
		for (const kind of ['echo-secrets', 'html', 'server-error-after'] as const) {
			emulator.fault({ kind, operation: 'getAccessToken' });
			await test(this.credential);
		}
		await test(this.credential);
	}

	async post(): Promise<void> {
		const { rest, emulator } = this.setup;
		const flow = new PostFlow(this.setup, this.credential);
		flow.fault('2', { kind: 'echo-secrets' });
		flow.fault('3', { kind: 'refused', message: this.secrets() });
		flow.fault('4', { kind: 'reset-after' });
		flow.fault('5', { kind: 'html', message: this.secrets() });
		flow.fault('8', { kind: 'redirect', location: `${emulator.url}/x?${this.secrets()}` });
		flow.fault('9', { kind: 'server-error-before', message: this.secrets() });
		const list = items('1', '2', '3', '4', '5', '8', '9');
		await flow.run(list, { settings: continueOnError, options: { fullEnvelope: true } });
		flow.fault('6', { kind: 'token-rejected-200', message: this.secrets() });
		flow.fault('7', { kind: 'unauthorized-401', message: this.secrets() });
		await flow.run(items('6', '7'), {
			settings: continueOnError,
			options: { maxConcurrentRequests: 1 },
		});
		for (const settings of [{}, retryOnFail, { onError: 'continueRegularOutput' }]) {
			flow.fault('10', { kind: 'echo-secrets' });
			flow.fault('11', { kind: 'refused', message: this.secrets(), times: 5 });
			const { id } = await flow.run(items('10', '11'), { settings });
			flow.fault('11', { kind: 'echo-secrets' });
			await rest.retry(id).catch(() => undefined);
			emulator.clearFaults();
		}
		flow.fault('key', { kind: 'echo-secrets' });
		await flow.run([{ id: 'k', text: 'key' }], { ...byId(), settings: continueOnError });
		await flow.run(items('dry'), { parameters: { operation: 'validate' } });
	}

	async chat(): Promise<void> {
		const { emulator } = this.setup;
		for (const way of [complete, respond]) {
			const flow = new ChatFlow(this.setup, this.credential, way);
			flow.fault({ kind: 'echo-secrets' }, 'b');
			flow.fault({ kind: 'refused', message: this.secrets(), envelope: true }, 'c');
			flow.fault({ kind: 'unauthorized-401', message: this.secrets() }, 'd');
			flow.fault({ kind: 'stream-cut' }, 'e');
			emulator.scriptChat([{ content: this.secrets(), bodyHas: '"f"' }]);
			emulator.scriptChat([{ refusal: this.secrets(), bodyHas: '"g"' }]);
			const options = { fullResponse: true };
			await flow.run(['a', 'b', 'c', 'd', 'e', 'f', 'g'], { settings: continueOnError, options });
			flow.fault({ kind: 'echo-secrets' }, 'h');
			await flow.run(['h']);
		}
		emulator.clearFaults();
	}

	async useChatModel(): Promise<void> {
		const { emulator } = this.setup;
		const flow = new ChatModelFlow(this.setup, this.credential);
		const tool = (input: string) => ({
			tool_calls: [{ name: 'Calculator', arguments: { input } }],
		});
		for (const root of [agent(3.1), agent(2.2), chain(1.9)]) {
			for (const ask of ['run', 'chat'] as const) {
				await flow[ask](root, 'hello');
				emulator.scriptChat([{ content: `It is ${this.secrets()}.` }]);
				await flow[ask](root, 'say it');
				for (const kind of ['echo-secrets', 'stream-error'] as const) {
					flow.fault({ kind, message: this.secrets(), times: 3 });
					await flow[ask](root, 'hello');
					emulator.clearFaults();
				}
			}
		}
		emulator.scriptChat([tool(this.secrets()), { content: 'Done.' }]);
		await flow.run(agent(3.1), 'calculate', { tools: [calculator()] });
		this.outputs.push(...flow.responses);
	}

	async useTools(): Promise<void> {
		const { emulator } = this.setup;
		const model = ownModel(this.credential);
		const posting = new PostingAgent(new AgentFlow(this.setup, model), this.credential);
		for (const version of [3.1, 2.2]) {
			emulator.fault({ kind: 'echo-secrets', operation: 'createPost', bodyHas: '"t2"' });
			emulator.fault({ kind: 'reset-after', operation: 'createPost', bodyHas: '"t3"' });
			await posting.run(version, [['t1', 't2'], ['t3'], ['t2', 't3']]);
			emulator.clearFaults();
		}
	}

	async receiveWebhooks(): Promise<void> {
		const { emulator } = this.setup;
		const own = { options: { includeHeaders: true, includeRawPayload: true } };
		const flow = await TriggerFlow.active(this.setup, this.credential, own);
		const event = (message: string) => ({
			id: `evt_${message.length}`,
			data: { action_sn: 'SA1', status: 'failed', message, [message]: [message] },
		});
		const to = { url: flow.url, headers: { 'X-Echo': this.secrets().slice(0, 500) } };
		for (const message of [
			'it failed',
			this.secrets(),
			Buffer.from(this.secrets()).toString('utf8'),
		]) {
			const { headers, body } = await emulator.deliver(event(message), to);
			this.outputs.push((await send(flow.url, headers, body)).body);
			const forged = { ...headers, 'X-Webhook-Signature': 'a'.repeat(64) };
			this.outputs.push((await send(flow.url, forged, body)).body);
			this.outputs.push(
				(await send(flow.url, { 'X-Webhook-Signature': this.secrets() }, body)).body,
			);
		}
		for (const options of [{}, { recipe: 'timestampBody' }, { secret: WRONG_SECRET }] as const) {
			const tested = await TriggerFlow.create(this.setup, this.credential, own);
			await tested.listen();
			await emulator.deliver(event(this.secrets()), { ...options, url: tested.testUrl });
			await tested.newest();
		}
	}

	/** Uses URLs of another server, which must not receive any request. */
	async contactOtherServers(): Promise<void> {
		const elsewhere = await loopback((_, response) => response.end('{}'));
		const flow = new PostFlow(this.setup, this.credential);
		const mediaUrls = [`${elsewhere.url}/a.jpg`, `http://u:p@${new URL(elsewhere.url).host}/b.jpg`];
		flow.fault('away', { kind: 'redirect', status: 307, location: `${elsewhere.url}/c` });
		await flow.run(items('media', 'away'), {
			settings: continueOnError,
			parameters: { mediaUrls },
		});
		await elsewhere.stop();
		for (const { url, rawHeaders } of elsewhere.received)
			this.outputs.push(`${url} ${rawHeaders.join()}`);
		expect(elsewhere.received).toHaveLength(0);
	}
}
