import { ChatFlow, complete, respond } from './chatFlow';
import { useChatSetup } from './chatSetup';
import { until } from './postFlow';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

let setup: Setup;
let credential: Credential;
useChatSetup((set) => ({ setup, credential } = set));

describe.each([complete, respond])('the chat operation $operation', (way) => {
	const flow = () => new ChatFlow(setup, credential, way);

	it('sends an item, and returns the reply', async () => {
		const execution = await flow().run(['hello there']);
		expect(execution.status).toBe('success');
		expect(flow().bodies()).toStrictEqual([{ model: 'm1', ...way.asked('hello there') }]);
		expect(flow().items(execution)).toStrictEqual([
			{
				text: 'You said: hello there',
				finish_reason: 'stop',
				usage: expect.any(Object),
				model: 'm1',
				id: expect.any(String),
			},
		]);
	});

	it('reads a list from an expression in a JSON field', async () => {
		const parameters = way.askingJson('={{ [{ role: "user", content: $json.text }] }}');
		const execution = await flow().run(['hello'], { parameters });
		expect(flow().items(execution)).toMatchObject([{ text: 'You said: hello' }]);
	});

	it('sends failed items to the error output, without secrets', async () => {
		flow().fault({ kind: 'echo-secrets' }, 'one');
		setup.emulator.scriptChat([
			{ content: 'Once upon', finish_reason: 'length', bodyHas: '"two"' },
		]);
		const settings = { onError: 'continueErrorOutput' };
		const execution = await flow().run(['one', 'two', 'three'], { settings });
		expect(execution.status).toBe('success');
		expect(flow().items(execution)).toMatchObject([{ text: 'You said: three' }]);
		expect(flow().items(execution, 1)).toMatchObject([
			{
				error: expect.stringMatching(/^The platform refused chat request 1 of 3: /),
				details: { outcome: 'refused', item_index: 0 },
			},
			{
				error: 'The answer was cut off at the token limit',
				details: { outcome: 'incomplete', item_index: 1, text: 'Once upon' },
			},
		]);
		expect(execution.raw).not.toContain(setup.emulator.appSecret);
	});

	it('closes its connection when the execution is stopped', async () => {
		flow().fault({ kind: 'no-answer' });
		const id = await flow().start(['hello']);
		await until(() => flow().bodies().length > 0);
		await setup.rest.stop(id);
		await until(() => setup.emulator.connections.open === 0);
		await until(async () => (await setup.rest.execution(id)).status === 'canceled');
	});
});
