import { itemsOf, jsonOf } from '../harness/manyPosts';
import { usePosts } from './postSetup';

const { platform, fault } = usePosts();

const reel = { contentType: 'REEL', mediaUrls: ['https://cdn.example/a.jpg'] };
const message = 'contains an image; a reel requires a video';
const each = { text: '={{ $json.text }}' };
const at = (publishAt: string) => ({ publishTime: 'at', publishAt });

describe('The summary of Create', () => {
	test('contains the warnings of the posts in the order of the items, at most five', async () => {
		fault('slow', { bodyHas: 'a < b', delayMs: 100 });
		const items = [{ text: 'a < b' }, ...itemsOf(6)];
		const more = { items, onError: 'continueRegularOutput' } as const;
		const { hints, outputs } = await platform.run({ ...reel, ...each }, more);
		const [counts, first, ...others] = hints[0]!.split('<br>');
		expect(counts).toMatch(/^Posts: 7 accepted/);
		expect(first).toBe(`Warning in post 1 of 7, “a &lt; b”: 'Media' ${message}.`);
		expect(others).toHaveLength(5);
		expect(others.at(-1)).toBe('Not shown here: 2 more.');
		expect(outputs[0]![0]!.json).not.toHaveProperty('warnings');
	});
});

describe('The summary of Validate', () => {
	const validate = { operation: 'validate' };

	test('says that a post is ready, and the output contains no empty list', async () => {
		const result = await platform.run(validate);
		expect(result.hints).toStrictEqual(['Posts: 1 ready, 0 not ready.']);
		const [json] = jsonOf(result);
		expect(Object.keys(json!)).toStrictEqual(['summary', 'valid', 'request_body']);
		expect(json).toMatchObject({ summary: 'Ready', valid: true });
	});

	test('says when a post will be published, in the time zone of the workflow', async () => {
		const time = at('2099-11-24T17:00:00Z');
		const more = { timezone: 'America/New_York' };
		const result = await platform.run({ ...validate, ...time }, more);
		const scheduled = { scheduled_for: '2099-11-24T12:00:00-05:00 (America/New_York)' };
		const summary = expect.stringMatching(
			/^Ready, 1 warning\. Will be published on 24 Nov 2099, 12:00 \(America\/New_York\), in \d+ years$/,
		);
		expect(jsonOf(result)).toMatchObject([{ ...scheduled, summary }]);
		expect(jsonOf(await platform.run(time, more))).toMatchObject([scheduled]);
	});

	test('says how many posts are ready, and names the others first', async () => {
		const items = [
			...[
				{ text: 'One', type: 'REEL' },
				{ text: 'Two: second', account: '' },
			],
			{ text: 'Three' },
		];
		const { hints } = await platform.run(
			{
				...{ ...validate, ...each, ...reel, contentType: "={{ $json.type ?? 'POST' }}" },
				socialAccountId: "={{ $json.account ?? 'acc_1' }}",
			},
			{ items },
		);
		expect(hints[0]!.split('<br>')).toStrictEqual([
			'Posts: 2 ready, 1 not ready.',
			"Problem in post 2 of 3, “Two: second”: 'Account' is empty.",
			`Warning in post 1 of 3, “One”: 'Media' ${message}.`,
		]);
	});
});
