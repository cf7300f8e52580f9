import { usePlatform } from '../harness/platform';
import { agents, fromAI, runAgent } from '../harness/agentRun';

const platform = usePlatform();

const NO_TEXT =
	"'Text' has an expression that returns no value for this item; correct it, or leave the field empty or return empty text ('') to post without text";

const sent = () => platform.emulator.posts.map(({ request }) => request as { text?: string });

describe('Create with an expression in Text that returns no value', () => {
	test.each([
		['throws, which n8n turns into null', '={{ $json.n.toFixed(2) + $json.text }}'],
		['names a field that the item does not have', '={{ $json.missing }}'],
		['names a field that is null', '={{ $json.nothing }}'],
		['returns undefined', '={{ undefined }}'],
	])('refuses an expression that %s', async (_, text) => {
		const items = [{ text: 'Hello', nothing: null }];
		const { error } = await platform.run({ text }, { items });
		expect(error?.message).toBe(NO_TEXT);
		expect(error?.description).toContain('Nothing was sent for this item.');
		const checked = await platform.run({ operation: 'validate', text }, { items });
		expect(checked.outputs[0]![0]!.json).toMatchObject({
			...{ valid: false, problems: [{ field: 'Text', message: NO_TEXT.slice(7) }] },
		});
		expect(platform.emulator.received).toEqual([]);
	});

	test('refuses only the item without a value', async () => {
		const { outputs } = await platform.run(
			{ text: '={{ $json.text }}' },
			{ items: [{ text: 'one' }, {}, { text: 'three' }], onError: 'continueErrorOutput' },
		);
		expect(outputs[1]).toMatchObject([
			{
				json: { error: `Post 2 of 3: ${NO_TEXT}`, details: { outcome: 'invalid', item_index: 1 } },
			},
		]);
		expect(
			sent()
				.map(({ text }) => text)
				.sort(),
		).toEqual(['one', 'three']);
	});

	test.each(agents)('refuses the call when $name omits the text', async ({ type }) => {
		const [told] = await runAgent({
			...{ platform, agent: type, turns: [[{ other: 'x' }]] },
			parameters: { socialAccountId: 'acc_1', text: fromAI('text') },
			settings: { onError: 'continueRegularOutput' },
		});
		// Agents before version 3 check the arguments themselves.
		const refusal = type === 'test.agent' ? 'did not match expected schema' : NO_TEXT;
		expect(JSON.stringify(told)).toContain(refusal);
		expect(sent()).toEqual([]);
	});
});

test.each([
	['an empty field', ''],
	['an empty expression', '='],
	['empty text', "={{ $json.text ?? '' }}"],
])('Create sends a post without text when Text is %s', async (_, text) => {
	const { error } = await platform.run({ text });
	expect(error).toBeUndefined();
	expect(sent()).toEqual([expect.not.objectContaining({ text: expect.anything() })]);
});

// n8n 1.123 to 2.41 pass an empty collection to the node. The builder hints mention this.
test('n8n passes an empty collection when the whole collection is an expression', async () => {
	const whole = '={{ { title: "T", altText: "A" } }}';
	await platform.run({ postOptions: whole });
	expect(Object.keys(sent()[0]!)).toEqual(['social_account_id', 'type', 'text', 'media_urls']);
});
