import { agents } from '../harness/agentRun';
import { textsOf } from '../harness/manyPosts';
import { usePosts } from './postSetup';

const { platform, posts, callTool } = usePosts();

const NO_TEXT =
	"'Text' has an expression that returns no value for this item; correct it, or leave the field empty or return empty text ('') to post without text";

describe('Create with an expression in Text that returns no value', () => {
	test('refuses only the item without a value', async () => {
		const { outputs } = await platform.run(
			{ text: '={{ $json.text }}' },
			{ items: [{ text: 'one' }, {}, { text: 'three' }], onError: 'continueErrorOutput' },
		);
		const details = { outcome: 'invalid', item_index: 1 };
		expect(outputs[1]).toMatchObject([{ json: { error: `Post 2 of 3: ${NO_TEXT}`, details } }]);
		expect(textsOf(posts()).sort()).toEqual(['one', 'three']);
	});

	test.each(agents)('refuses the call when $name omits the text', async ({ type }) => {
		const [told] = await callTool(type, [[{ other: 'x' }]]);
		// Agents before version 3 check the arguments themselves.
		const refusal = type === 'test.agent' ? 'did not match expected schema' : NO_TEXT;
		expect(told!.error).toContain(refusal);
		expect(posts()).toEqual([]);
	});
});

test.each([
	['an empty field', ''],
	['an empty expression', '='],
	['empty text', "={{ $json.text ?? '' }}"],
])('Create sends a post without text when Text is %s', async (_, text) => {
	await platform.run({ text });
	expect(textsOf(posts())).toEqual([undefined]);
});
