import { jsonOf } from '../harness/manyPosts';
import { fromAI, runAgent } from '../harness/agentRun';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const reel = { contentType: 'REEL', mediaUrls: ['https://cdn.example/a.jpg'] };
const WARNING = "'Media' contains an image; a reel requires a video";

describe('The summary of Create', () => {
	test('says when a scheduled post is published, in the time zone of the workflow', async () => {
		const { hints } = await platform.run(
			{ publishTime: 'at', publishAt: '2099-11-24T17:00:00Z' },
			{ timezone: 'Europe/Berlin' },
		);
		expect(hints[0]!.split('<br>')).toStrictEqual([
			'Posts: 1 accepted. An accepted post may not be published yet.',
			'Scheduled posts: 1, for 24 Nov 2099, 18:00 (Europe/Berlin). n8n cannot cancel a scheduled post; cancel it on the platform.',
			"Warning: 'Publish At' is more than a year ahead: it was understood as 2099-11-24T17:00:00+00:00.",
		]);
	});

	test('says when the first and the last of several posts are published', async () => {
		const items = ['2099-01-02T09:00', '2099-01-01T09:00'].map((at) => ({ at }));
		const { hints } = await platform.run(
			{ publishTime: 'at', publishAt: '={{ $json.at }}' },
			{ items, timezone: 'America/New_York' },
		);
		expect(hints[0]).toContain(
			'Scheduled posts: 2, from 1 Jan 2099, 09:00 to 2 Jan 2099, 09:00 (America/New_York).',
		);
	});

	test('contains the warnings of each post, at most five', async () => {
		const items = Array.from({ length: 7 }, (_, i) => ({ text: i === 0 ? 'a < b' : `post ${i}` }));
		const { hints, outputs } = await platform.run(
			{ ...reel, text: '={{ $json.text }}' },
			{ items },
		);
		const [counts, first, ...others] = hints[0]!.split('<br>');
		expect(counts).toMatch(/^Posts: 7 accepted/);
		expect(first).toBe(`Warning in post 1 of 7, “a &lt; b”: ${WARNING}.`);
		expect(others).toHaveLength(5);
		expect(others.at(-1)).toBe('2 more are not shown here.');
		expect(outputs[0]![0]!.json).not.toHaveProperty('warnings');
	});

	test('contains the warnings in the order of the items', async () => {
		const items = ['one', 'two', 'three'].map((text) => ({ text }));
		platform.emulator.fault({
			kind: 'slow',
			operation: 'createPost',
			bodyHas: 'one',
			delayMs: 100,
		});
		const { hints } = await platform.run({ ...reel, text: '={{ $json.text }}' }, { items });
		expect(hints[0]!.match(/post \d/g)).toStrictEqual(['post 1', 'post 2', 'post 3']);
	});

	test('is part of what an agent gets', async () => {
		const [answer] = await runAgent({
			...{ platform, turns: [[{ text: 'Hello' }]] },
			parameters: {
				...{ socialAccountId: 'acc_1', text: fromAI('text'), ...reel },
				...{ publishTime: 'at', publishAt: '2099-01-01T09:00' },
			},
		});
		expect(answer).toMatchObject({
			scheduled_for: expect.stringMatching(/^2099-01-01T09:00:00[+-]/),
			warnings: expect.arrayContaining([
				{ field: 'Media', message: 'contains an image; a reel requires a video' },
			]),
		});
	});
});

describe('The summary of Validate', () => {
	const validate = { operation: 'validate', text: '={{ $json.text }}' };

	test('says that a post is ready, and the output contains no empty list', async () => {
		const result = await platform.run({ ...validate, text: 'Hello' });
		expect(result.hints).toStrictEqual(['Ready.']);
		const [json] = jsonOf(result);
		expect(Object.keys(json!)).toStrictEqual(['summary', 'valid', 'request_body']);
		expect(json).toMatchObject({ summary: 'Ready', valid: true });
	});

	test('says when a post will be published, in the time zone of the workflow', async () => {
		const at = { publishTime: 'at', publishAt: '2099-11-24T17:00:00Z' };
		const run = { timezone: 'America/New_York' };
		const result = await platform.run({ ...validate, ...at, text: 'Hello' }, run);
		expect(result.hints[0]).toMatch(
			/^Ready, 1 warning\. Will be published on 24 Nov 2099, 12:00 \(America\/New_York\), in \d+ years\.<br>/,
		);
		const scheduled = { scheduled_for: '2099-11-24T12:00:00-05:00 (America/New_York)' };
		expect(jsonOf(result)).toMatchObject([scheduled]);
		expect(jsonOf(await platform.run({ ...at, text: 'Hello' }, run))).toMatchObject([scheduled]);
	});

	test('says how many warnings a post has, and which', async () => {
		const result = await platform.run({ ...validate, ...reel, text: 'x'.repeat(2300) });
		expect(result.hints[0]).toMatch(/^Ready, 2 warnings\.<br>Warning: '.+\.<br>Warning: '.+\.$/);
		const [json] = jsonOf(result);
		expect(Object.keys(json!)).toStrictEqual(['summary', 'valid', 'warnings', 'request_body']);
	});

	test('says how many posts are ready, and names the others first', async () => {
		const items = ['One', 'Two: second', 'Three'].map((text, i) => ({
			...{ text, account: i === 1 ? '' : 'acc_1', type: i === 0 ? 'REEL' : 'POST' },
		}));
		const { hints } = await platform.run(
			{
				...{ ...validate, ...reel, contentType: '={{ $json.type }}' },
				socialAccountId: '={{ $json.account }}',
			},
			{ items },
		);
		expect(hints[0]!.split('<br>')).toStrictEqual([
			'2 posts ready, 1 not ready.',
			"Problem in post 2 of 3, “Two: second”: 'Account' is empty.",
			`Warning in post 1 of 3, “One”: ${WARNING}.`,
		]);
	});

	test('counts posts that cannot be read', async () => {
		const text = "={{ $json.bad ? $('No Node').item.json.text : 'Hello' }}";
		const items = [{}, { bad: true }];
		const onError = 'continueRegularOutput';
		const { hints } = await platform.run({ ...validate, text }, { items, onError });
		expect(hints).toStrictEqual(['1 post ready, 1 not ready.']);
	});
});
