import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import { asking, COMPLETIONS, dataOf, hello, RESPONSES } from './chat-frames';
import type { TestClient } from './test-client';

let emulator: Emulator;
let client: TestClient;

emulatorAroundTests((...started) => ([emulator, client] = started));

const completed = async () => (await client.chat(COMPLETIONS, hello)).json;
const responded = async () => (await client.chat(RESPONSES, { input: 'hello there' })).json;

describe('Scripted chat replies', () => {
	it('are sent in order, and followed by echoes', async () => {
		const calls = ['one', 'two'].map((text) => ({ name: 'post', arguments: { text } }));
		emulator.scriptChat([{ tool_calls: calls }, { content: 'done' }]);
		const [call] = (await completed()).choices;
		expect(call.finish_reason).toBe('tool_calls');
		expect(call.message.content).toBeNull();
		expect(call.message.tool_calls).toMatchObject([
			{ id: expect.stringMatching(/^call_/), function: { arguments: '{"text":"one"}' } },
			{ type: 'function', function: { name: 'post', arguments: '{"text":"two"}' } },
		]);
		const ids = call.message.tool_calls.map(({ id }: { id: string }) => id);
		expect(new Set(ids).size).toBe(2);
		expect((await completed()).choices[0].message.content).toBe('done');
		expect((await completed()).choices[0].message.content).toBe('You said: hello there');
	});

	it('can contain a refusal', async () => {
		emulator.scriptChat([{ refusal: 'I will not.' }, { refusal: 'I will not.' }]);
		expect((await completed()).choices[0]).toMatchObject({
			message: { content: null, refusal: 'I will not.' },
			finish_reason: 'stop',
		});
		const response = await responded();
		expect(response.status).toBe('completed');
		expect(response.output).toMatchObject([
			{ type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] },
		]);
		expect(response.usage.output_tokens).toBe(3);
	});

	it('can contain a finish reason', async () => {
		const reasons: Array<[reason: string, ofResponse: string]> = [
			['content_filter', 'content_filter'],
			['length', 'max_output_tokens'],
			['tired', 'tired'],
		];
		for (const [reason, ofResponse] of reasons) {
			const reply = { content: 'Half a', finish_reason: reason };
			emulator.scriptChat([reply, reply]);
			expect((await completed()).choices[0]).toMatchObject({
				message: { content: 'Half a' },
				finish_reason: reason,
			});
			expect(await responded()).toMatchObject({
				status: 'incomplete',
				incomplete_details: { reason: ofResponse },
				output: [{ status: 'incomplete', content: [{ text: 'Half a' }] }],
			});
		}
		emulator.scriptChat([{ content: 'Done', finish_reason: 'stop' }]);
		expect(await responded()).toMatchObject({ status: 'completed', incomplete_details: null });
	});

	it('can be empty', async () => {
		emulator.scriptChat([{}, {}, {}]);
		const [choice] = (await completed()).choices;
		expect(choice).toMatchObject({ message: { content: '' }, finish_reason: 'stop' });
		expect(choice.message).not.toHaveProperty('tool_calls');
		expect((await responded()).output[0].content[0].text).toBe('');
		const chunks = dataOf((await client.chat(COMPLETIONS, asking(COMPLETIONS, true))).text);
		expect(chunks.map(({ choices }) => choices[0].delta.content)).toStrictEqual(['', undefined]);
	});

	it('can be reserved for requests that contain a text', async () => {
		emulator.scriptChat([{ content: 'for two', bodyHas: 'item two' }, { content: 'for any' }]);
		const answers = [];
		for (const content of ['item one', 'item three', 'item two']) {
			const { json } = await client.chat(COMPLETIONS, { messages: [{ role: 'user', content }] });
			answers.push(json.choices[0].message.content);
		}
		expect(answers).toStrictEqual(['for any', 'You said: item three', 'for two']);
	});

	it('are not used up by refused requests', async () => {
		emulator.scriptChat([{ content: 'still here' }]);
		emulator.fault({ kind: 'rate-limited-429' });
		expect((await client.chat(COMPLETIONS, hello)).status).toBe(429);
		expect((await client.chat(COMPLETIONS, {})).status).toBe(400);
		expect((await completed()).choices[0].message.content).toBe('still here');
	});

	it('are all rejected when one of them is invalid', async () => {
		const wrong = [{ content: 'x' }, { contents: 'y' }] as never;
		expect(() => emulator.scriptChat(wrong)).toThrow("has no field 'contents'");
		expect((await completed()).choices[0].message.content).toBe('You said: hello there');
	});
});
