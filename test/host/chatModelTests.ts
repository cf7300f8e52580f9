import { agent, calculator } from './aiNodes';
import { ChatFlow, complete } from './chatFlow';
import { answer, ChatModelFlow } from './chatModelFlow';
import { modelRequests, toolResults } from './modelRequests';
import { until } from './postFlow';
import { loopback } from '../loopback';
import { thisHost } from '../n8n/hosts';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';

const PICTURE =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const DOCUMENT = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

const calls = (...inputs: string[]) => ({
	tool_calls: inputs.map((input) => ({ name: 'Calculator', arguments: { input } })),
});
const DONE = { content: 'That is all, folks.' };
const tools = [calculator()];

/** Tests the chat model, and a chat operation that is stopped. Both send the App Secret in their header only, and need no token. */
export function testChatModel(given: () => { setup: Setup; credential: Credential }): void {
	describe('The chat model and the chat operations', () => {
		let setup: Setup;
		let credential: Credential;
		let flow: ChatModelFlow;
		beforeEach(() => {
			({ setup, credential } = given());
			setup.emulator.reset();
			flow = new ChatModelFlow(setup, credential);
		});
		afterEach(() => {
			const { appSecret, received } = setup.emulator;
			const shown = received.map(({ headers: { authorization: _, ...headers }, path, rawBody }) =>
				JSON.stringify([headers, decodeURIComponent(path), rawBody]),
			);
			expect(shown.filter((text) => text.includes(appSecret))).toStrictEqual([]);
			expect(setup.arrived('getAccessToken')).toBe(0);
		});

		describe.each(thisHost.agents)('the chat model with AI Agent %s', (version) => {
			const root = agent(version);

			it('calls tools in several turns, and returns the reply and its usage', async () => {
				setup.emulator.scriptChat([calls('2*3', '5+6'), calls('6+1'), DONE]);
				const execution = await flow.run(root, 'reckon', { tools });
				expect(answer(execution, root)).toBe(DONE.content);
				expect(toolResults(setup).join()).toMatch(/6.*11.*7/s);
				// n8n would store an estimate under another name.
				expect(JSON.stringify(execution.runs.Model)).toContain('"tokenUsage":');
			});

			it('calls tools, and streams the reply', async () => {
				setup.emulator.scriptChat([calls('2*3', '5+6'), DONE]);
				const { pieces, raw, execution } = await flow.chat(root, 'reckon', { tools });
				expect(pieces.length).toBeGreaterThanOrEqual(4);
				expect(pieces.join('')).toBe(DONE.content);
				expect(raw).toMatch(/"type":"end"/);
				expect(answer(execution, root)).toBe(DONE.content);
				expect(toolResults(setup).join()).toMatch(/6.*11/s);
			});

			it('sends files of the item', async () => {
				const binary = {
					picture: { data: PICTURE, mimeType: 'image/png', fileName: 'pixel.png' },
					document: { data: DOCUMENT, mimeType: 'application/pdf', fileName: 'page.pdf' },
				};
				// Agents pass images by default, and PDFs with an option.
				const withPdf = agent(version, { options: { passthroughBinaryPdfs: true } });
				await flow.run(withPdf, 'What is it?', { binary });
				expect(modelRequests(setup)[0]?.messages.at(-1)?.content).toMatchObject([
					{ image_url: { url: `data:image/png;base64,${PICTURE}` } },
					{ file: { file_data: `data:application/pdf;base64,${DOCUMENT}` } },
				]);
			});

			it('shows the message of a refusal after one request', async () => {
				flow.fault({ kind: 'refused', message: '模型不存在', times: Infinity });
				const execution = await flow.run(root, 'hello');
				expect(JSON.stringify(execution.error)).toContain('模型不存在');
				const { errors } = await flow.chat(root, 'hello');
				expect(errors).toStrictEqual([expect.stringContaining('模型不存在')]);
				expect(modelRequests(setup)).toHaveLength(2);
			});
		});

		const root = agent(thisHost.agents[0]);

		it('a streamed reply whose connection breaks is not presented as complete', async () => {
			flow.fault({ kind: 'stream-cut', times: Infinity });
			const { errors, raw, execution } = await flow.chat(root, 'one two three four five six');
			expect(execution.status).toBe('error');
			expect(answer(execution, root)).toBeUndefined();
			expect(raw).not.toMatch(/"type":"end"/);
			expect(errors).toHaveLength(1);
		});

		type Start = (at: Credential) => Promise<string>;

		it.each<[string, Start]>([
			['a manual execution', async (at) => await new ChatModelFlow(setup, at).start(root, 'hello')],
			[
				'a public chat',
				async (at) => (await new ChatModelFlow(setup, at).startChat(root, 'hello')).id,
			],
			['a chat operation', async (at) => await new ChatFlow(setup, at, complete).start(['hello'])],
		])('%s that is stopped aborts its request', async (_, start) => {
			const choices = [{ index: 0, delta: { role: 'assistant', content: 'Once' } }];
			const endless = await loopback((_request, response) => {
				response.writeHead(200, { 'content-type': 'text/event-stream' });
				response.write(`data: ${JSON.stringify({ choices })}\n\n`);
			});
			const id = await start(await setup.credential('endless', { baseUrl: endless.url }));
			await until(() => endless.received.length > 0);
			await setup.rest.stop(id);
			await until(() => endless.received.every(({ socket }) => socket.destroyed));
			expect((await setup.rest.finished(id)).status).toBe('canceled');
			expect(endless.received).toHaveLength(1);
			await endless.stop();
		});
	});
}
