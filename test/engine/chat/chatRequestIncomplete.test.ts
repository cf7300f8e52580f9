import type { ScriptedReply } from '../../emulator';
import { chat, chatOperations, chatsAt, complete, eachChat } from '../harness/chats';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const NOT_JSON = 'The answer is not the requested JSON';
const CUT_OFF = 'The answer was cut off at the token limit';
const allowed = { options: { allowIncomplete: true } };
const asJson = { outputFormat: 'json_object' };

const refusal = 'I cannot do that.';

describe.each(chatOperations)('An incomplete reply of $operation', (operation) => {
	test.each<[ScriptedReply, string, object, object?]>([
		[{ refusal }, `The model refused to answer: “${refusal}”`, { text: '', refusal }],
		[
			{ content: 'Half', finish_reason: 'content_filter' },
			"The platform's content filter stopped the answer",
			{ text: 'Half', finish_reason: 'content_filter' },
		],
		[
			{ content: 'Half', finish_reason: 'length' },
			CUT_OFF,
			{ text: 'Half', finish_reason: 'length' },
		],
		[
			{ content: '<think>May</think>It <think>is</think> May' },
			'The reasoning in the answer cannot be separated from its text',
			{ text: 'It <think>is</think> May' },
		],
		[{ content: ' \n' }, 'The answer is empty', { text: ' \n', finish_reason: 'stop' }],
		...['No.', '{"a":', '[{"a":1}]', '5', 'Sure: {"a":1}', '['.repeat(1e5) + ']'.repeat(1e5)].map(
			(content): [ScriptedReply, string, object, object] => [
				{ content },
				NOT_JSON,
				{ text: content, finish_reason: 'stop' },
				asJson,
			],
		),
		[{ content: '{', finish_reason: 'length' }, CUT_OFF, { text: '{' }, asJson],
	])(
		'is an error, or an item with a note if Allow Incomplete Answers is on: %j',
		async (reply, message, details, parameters = {}) => {
			platform.emulator.scriptChat([reply, reply]);
			const { error, outputs } = await platform.run(chat(operation, 'Hello', { ...parameters }));
			expect(outputs.flat()).toStrictEqual([]);
			const given = { ...details, model: 'chat-large', id: expect.any(String) };
			const usage = { total_tokens: expect.any(Number) };
			expect(error).toMatchObject({
				message,
				description: expect.stringMatching(/^[A-Z].*\.\n.*'Allow Incomplete Answers'.*\.$/),
				context: { data: { outcome: 'incomplete', ...given, usage } },
			});
			expect(chatsAt(platform)).toHaveLength(1);
			const more = { ...parameters, ...allowed };
			const [json] = jsonOf(await platform.run(chat(operation, 'Hello', more)));
			expect(json).toMatchObject({ ...given, note: message });
			expect(json).not.toHaveProperty('json');
		},
	);

	test('is not reported for a complete reply', async () => {
		const [json] = jsonOf(await platform.run(chat(operation, 'Hello', allowed)));
		expect(json).not.toHaveProperty('note');
		expect(json).not.toHaveProperty('refusal');
	});
});

test('An incomplete reply goes to the error output with its input, message and details', async () => {
	platform.emulator.scriptChat([{ content: 'Half', finish_reason: 'length', bodyHas: 'two' }]);
	const items = ['one', 'two'].map((text) => ({ text, keep: 'me' }));
	const more = { items, onError: 'continueErrorOutput' as const };
	const { outputs } = await platform.run(eachChat(complete), more);
	expect(outputs[0]!.map(({ json }) => json.text)).toStrictEqual(['You said: one']);
	const details = {
		...{ outcome: 'incomplete', text: 'Half', finish_reason: 'length', item_index: 1 },
		description: expect.stringContaining("'Max Tokens'"),
	};
	expect(outputs[1]).toMatchObject([
		{ json: { text: 'two', keep: 'me', error: CUT_OFF, details }, pairedItem: { item: 1 } },
	]);
});

test('An answer that is no JSON is read in less than quadratic time', async () => {
	for (const blank of ['\n', ' ', '`', '\n```']) {
		const content = '```json' + blank.repeat(50_000);
		platform.emulator.scriptChat([{ content, finish_reason: 'length' }]);
		const from = Date.now();
		const { error } = await platform.run(chat(complete, 'Hello', asJson));
		expect(Date.now() - from).toBeLessThan(10_000);
		expect(error!.message).toBe(CUT_OFF);
	}
});
