import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import { asking, CALLS, dataOf, RESPONSES } from './chat-frames';
import type { TestClient } from './test-client';

let emulator: Emulator;
let client: TestClient;

emulatorAroundTests((...started) => ([emulator, client] = started));

const streamed = async () => await client.chat(RESPONSES, asking(RESPONSES, true));

describe('A streamed response of /v1/responses', () => {
	it('consists of numbered events', async () => {
		const { text } = await streamed();
		const events = dataOf(text);
		expect(events.map((event) => event.sequence_number)).toStrictEqual(
			events.map((_event, n) => n),
		);
		expect(text.match(/^event: .*$/gm)).toStrictEqual(events.map(({ type }) => `event: ${type}`));
		expect(events[0].type).toBe('response.created');
		expect(events.at(-1)).toMatchObject({
			type: 'response.completed',
			response: { status: 'completed', usage: { total_tokens: 6 } },
		});
		const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
		expect(deltas.map(({ delta }) => delta)).toStrictEqual(['You', ' said:', ' hello', ' there']);
	});

	it('contains the arguments of each tool call in pieces', async () => {
		emulator.scriptChat([{ content: 'On it.', tool_calls: CALLS }]);
		const events = dataOf((await streamed()).text);
		const { output } = events.at(-1).response;
		expect(output.map(({ type }: { type: string }) => type)).toStrictEqual([
			'message',
			'function_call',
			'function_call',
		]);
		for (const [n, { name, arguments: args }] of CALLS.entries()) {
			const mine = events.filter((event) => event.output_index === n + 1);
			expect(mine[0].item).toMatchObject({ type: 'function_call', name, arguments: '' });
			const deltas = mine.filter(({ type }) => type.endsWith('arguments.delta'));
			expect(deltas.length).toBeGreaterThan(1);
			expect(JSON.parse(deltas.map(({ delta }) => delta).join(''))).toStrictEqual(args);
			expect(mine.at(-1)).toMatchObject({ item: output[n + 1] });
		}
	});

	it('contains a refusal in pieces, as a separate content part', async () => {
		emulator.scriptChat([{ refusal: 'I will not say that.' }]);
		const events = dataOf((await streamed()).text);
		const deltas = events.filter(({ type }) => type === 'response.refusal.delta');
		expect(deltas.map(({ delta }) => delta).join('')).toBe('I will not say that.');
		expect(events.at(-1).response.output[0].content).toStrictEqual([
			{ type: 'refusal', refusal: 'I will not say that.' },
		]);
	});

	it('ends with response.incomplete if the reply is incomplete', async () => {
		emulator.scriptChat([{ content: 'Half a', finish_reason: 'content_filter' }]);
		expect(dataOf((await streamed()).text).at(-1)).toMatchObject({
			type: 'response.incomplete',
			response: { incomplete_details: { reason: 'content_filter' } },
		});
	});
});
