import type { ScriptedReply } from '../../emulator';
import { chat, chatsAt, eachChat, chatOperations } from '../harness/chats';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const NOT_JSON = 'The answer is not the requested JSON';
const allowed = { options: { allowIncomplete: true } };
const asJson = { outputFormat: 'json_object' };

/** Each reply has the message and the details of its error. */
const incompleteReplies: Array<[ScriptedReply, string, object]> = [
	[
		{ refusal: 'I cannot do that.' },
		'The model refused to answer: “I cannot do that.”',
		{ text: '', refusal: 'I cannot do that.', finish_reason: 'stop' },
	],
	[
		{ content: 'Half', finish_reason: 'content_filter' },
		"The platform's content filter stopped the answer",
		{ text: 'Half', finish_reason: 'content_filter' },
	],
	[
		{ content: 'Half', finish_reason: 'length' },
		'The answer was cut off at the token limit',
		{ text: 'Half', finish_reason: 'length' },
	],
	...['<think>It is May', '<think>May</think>It <think>is</think> May'].map(
		(content): [ScriptedReply, string, object] => [
			{ content },
			'The reasoning in the answer cannot be separated from its text',
			{ finish_reason: 'stop' },
		],
	),
	[{}, 'The answer is empty', { text: '', finish_reason: 'stop' }],
	[{ content: ' \n' }, 'The answer is empty', { text: ' \n', finish_reason: 'stop' }],
];

describe.each(chatOperations)(
	'An incomplete reply of the operation $operation',
	(chatOperation) => {
		test.each(incompleteReplies)('is reported as an error: %j', async (reply, message, details) => {
			platform.emulator.scriptChat([reply]);
			const { error, outputs } = await platform.run(chat(chatOperation));
			expect(outputs.flat()).toStrictEqual([]);
			expect(error).toMatchObject({
				message,
				description: expect.stringMatching(/^[A-Z].*\.\n.*'Allow Incomplete Answers'.*\.$/),
				context: {
					data: {
						...{ outcome: 'incomplete', ...details, model: 'chat-large' },
						...{ id: expect.any(String), usage: { total_tokens: expect.any(Number) } },
					},
				},
			});
			expect(chatsAt(platform)).toHaveLength(1);
		});

		test.each(incompleteReplies)(
			'is returned with a note if Allow Incomplete Answers is on: %j',
			async (reply, message, details) => {
				platform.emulator.scriptChat([reply]);
				const { error, outputs } = await platform.run(chat(chatOperation, 'Hello', allowed));
				expect(error).toBeUndefined();
				expect(outputs[0]![0]).toMatchObject({
					json: { ...details, note: message, model: 'chat-large', id: expect.any(String) },
					pairedItem: { item: 0 },
				});
			},
		);

		test.each(['No.', '{"a":', '[{"a":1}]', '"text"', '5', 'null', 'Sure: {"a":1}'])(
			'is reported for text that is not the requested JSON: %s',
			async (content) => {
				platform.emulator.scriptChat([{ content }, { content }]);
				const { error } = await platform.run(chat(chatOperation, 'Hello', asJson));
				expect(error).toMatchObject({
					message: NOT_JSON,
					context: { data: { outcome: 'incomplete', text: content, finish_reason: 'stop' } },
				});
				const [json] = jsonOf(
					await platform.run(chat(chatOperation, 'Hello', { ...asJson, ...allowed })),
				);
				expect(json).toMatchObject({ text: content, note: NOT_JSON });
				expect(json).not.toHaveProperty('json');
			},
		);

		test.each([4000, 50_000])(
			'is reported in less than quadratic time for %i characters',
			async (length) => {
				for (const blank of ['\n', ' ', '`', '\n```']) {
					const content = '```json' + blank.repeat(length);
					platform.emulator.scriptChat([{ content, finish_reason: 'length' }]);
					const from = Date.now();
					const { error } = await platform.run(chat(chatOperation, 'Hello', asJson));
					expect(Date.now() - from).toBeLessThan(5000);
					expect(error!.message).toBe('The answer was cut off at the token limit');
				}
			},
		);

		test('is reported as cut off rather than as invalid JSON', async () => {
			const options = { maxTokens: 2 };
			const { error } = await platform.run(chat(chatOperation, 'a b c d', { ...asJson, options }));
			expect(error!.message).toBe('The answer was cut off at the token limit');
			expect(error!.description).toContain("'Max Tokens'");
		});

		test('goes to the error output with its input, message and details', async () => {
			platform.emulator.scriptChat([{ content: 'Half', finish_reason: 'length', bodyHas: 'two' }]);
			const items = ['one', 'two'].map((text) => ({ text, keep: 'me' }));
			const more = { items, onError: 'continueErrorOutput' as const };
			const { outputs } = await platform.run(eachChat(chatOperation), more);
			expect(outputs[0]!.map(({ json }) => json.text)).toStrictEqual(['You said: one']);
			expect(outputs[1]).toMatchObject([
				{
					json: {
						...{ text: 'two', keep: 'me', error: 'The answer was cut off at the token limit' },
						details: {
							...{ outcome: 'incomplete', text: 'Half', finish_reason: 'length', item_index: 1 },
							...{ usage: expect.any(Object), model: 'chat-large', id: expect.any(String) },
							description: expect.stringContaining("'Max Tokens'"),
						},
					},
					pairedItem: { item: 1 },
				},
			]);
		});

		test('is not reported for a complete reply', async () => {
			const [json] = jsonOf(await platform.run(chat(chatOperation, 'Hello', allowed)));
			expect(json).not.toHaveProperty('note');
			expect(json).not.toHaveProperty('refusal');
		});
	},
);
