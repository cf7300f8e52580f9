import { jsonOf } from '../harness/manyPosts';
import { startPlatform, usePlatform } from '../harness/platform';

const platform = usePlatform();

const sentBody = () => platform.received('createPost').at(-1)!.rawBody;

test('Create sends every option, byte for byte', async () => {
	const { outputs, error } = await platform.run({
		socialAccountId: 'acc_1',
		contentType: 'REEL',
		text: 'Neuer Artikel 发布 😀 #news',
		mediaUrls: ['https://cdn.example/a,b.mp4'],
		publishTime: 'at',
		publishAt: '2099-07-01T09:30:00',
		postOptions: {
			title: 'A title',
			videoCoverImageUrl: 'https://cdn.example/cover.jpg',
			additionalBodyFields:
				'{"__proto__":{"a":1},"ref":9007199254740993,"exclusive":{"music":{"constructor":7}}}',
			altText: 'A dog',
			shareToFeed: true,
			videoCoverOffset: 1500,
			collaborators: ['@anna', 'ben'],
			locationId: '213385402',
			trialReel: 'SS_PERFORMANCE',
		},
	});
	expect(error).toBeUndefined();
	expect(sentBody()).toBe(
		'{"social_account_id":"acc_1","post_date":"2099-07-01T09:30:00+02:00","title":"A title","type":"REEL","text":"Neuer Artikel 发布 😀 #news","media_urls":["https://cdn.example/a,b.mp4"],"thumbnail":"https://cdn.example/cover.jpg","exclusive":{"alt_text":"A dog","share_to_feed":true,"thumbnail_offset":1500,"collaborators":["anna","ben"],"location_id":"213385402","trial_params":[{"graduation_strategy":"SS_PERFORMANCE"}],"music":{"constructor":7}},"__proto__":{"a":1},"ref":"9007199254740993"}',
	);
	expect(outputs[0]![0]!.json).toMatchObject({ status: 'queued', platform: 'PHOTO' });
});

test('Create sends the token in X-Legacy-Token, and no secret in the URL', async () => {
	await platform.run();
	const [request] = platform.received('createPost');
	expect(request).toMatchObject({ method: 'POST', path: '/api/v1/socialPostCreatePhoto' });
	expect(request!.headers['x-legacy-token']).toBe(platform.emulator.tokens[0]!.token);
	expect(request!.headers['content-type']).toBe('application/json');
	expect(request!.headers.authorization).toBeUndefined();
});

test("Create outputs the platform's data unchanged, with 64-bit IDs and unknown fields", async () => {
	const { outputs } = await platform.run();
	const [post] = platform.emulator.posts;
	expect(outputs).toEqual([
		[
			{
				json: {
					request_id: expect.any(String),
					action_sn: post!.action_sn,
					social_post_id: '9007199254740993',
					status: 'processing',
					platform: 'PHOTO',
					social_account_id: 'acc_1',
					created_at: expect.any(String),
				},
				pairedItem: { item: 0 },
			},
		],
	]);
});

test("Create reads a time without an offset in the workflow's time zone", async () => {
	const at = async (publishAt: unknown, timezone: string) => {
		const parameters = { publishTime: 'at', publishAt: publishAt as string };
		const { error } = await platform.run(parameters, { timezone });
		expect(error).toBeUndefined();
		return (platform.emulator.posts.at(-1)!.request as { post_date: string }).post_date;
	};
	expect(await at('2099-01-01T09:00:00', 'America/New_York')).toBe('2099-01-01T09:00:00-05:00');
	const expression = "={{ DateTime.fromISO('2099-01-01T09:00:00', { zone: 'Asia/Tokyo' }) }}";
	expect(await at(expression, 'UTC')).toBe('2099-01-01T09:00:00+09:00');
	expect(await at('={{ new Date(4070941200000) }}', 'UTC')).toBe('2099-01-01T09:00:00+00:00');
});

test('Create uses the field names and the platform name of the credential', async () => {
	await platform.stop();
	Object.assign(platform, await startPlatform({ platformName: 'Video' }));
	Object.assign(platform.credential, {
		platformName: 'Video',
		videoCoverImageField: 'cover_url',
		collaboratorsField: 'collabs',
	});
	const { error } = await platform.run({
		postOptions: { videoCoverImageUrl: 'https://cdn.example/c.jpg', collaborators: ['anna'] },
	});
	expect(error).toBeUndefined();
	expect(platform.received('createPost')[0]!.path).toBe('/api/v1/socialPostCreateVideo');
	expect(JSON.parse(sentBody())).toMatchObject({
		cover_url: 'https://cdn.example/c.jpg',
		exclusive: { collabs: ['anna'] },
	});
});

test('Validate sends nothing, and outputs the request, its problems and its warnings', async () => {
	const fine = await platform.run({ operation: 'validate', contentType: 'REEL' });
	expect(fine.outputs[0]![0]).toEqual({
		json: {
			summary: 'Ready, 1 warning',
			valid: true,
			request_body: {
				social_account_id: 'acc_1',
				type: 'REEL',
				text: 'Hello',
				media_urls: ['https://cdn.example/a.jpg'],
			},
			warnings: [{ field: 'Media', message: 'contains an image; a reel requires a video' }],
		},
		pairedItem: { item: 0 },
	});
	const broken = await platform.run({
		operation: 'validate',
		socialAccountId: '={{ $json.missing }}',
		postOptions: { videoCoverOffset: -1 },
	});
	expect(broken.error).toBeUndefined();
	expect(broken.outputs[0]![0]!.json).toMatchObject({
		valid: false,
		problems: [{ field: 'Account' }, { field: 'Video Cover Offset' }],
	});
	expect(platform.emulator.received).toEqual([]);
});

test('Create sends the request that Validate shows', async () => {
	const parameters = {
		contentType: 'REEL',
		publishTime: 'at',
		publishAt: '2099-07-01T09:30:00',
		postOptions: { altText: 'A', trialReel: 'MANUAL' },
	};
	const { outputs } = await platform.run({ operation: 'validate', ...parameters });
	await platform.run(parameters);
	expect(sentBody()).toBe(JSON.stringify(outputs[0]![0]!.json.request_body));
});

test('Create sends nothing at a time with the name of a time zone', async () => {
	const publishAt = '2099-07-01 18:00 BST';
	const { error } = await platform.run({ publishTime: 'at', publishAt });
	expect(error!.message).toContain(
		`'Publish At' (${publishAt}) is not a date and time; use a format`,
	);
	expect(platform.emulator.received).toEqual([]);
});

test('Validate reports a key that is empty', async () => {
	const options = { checkMedia: false, oncePerKey: '={{ $json.id }}' };
	const items = [{ id: 7 }, { id: '' }];
	const output = jsonOf(await platform.run({ operation: 'validate', options }, { items }));
	expect(output.map(({ problems }) => problems)).toEqual([
		undefined,
		[{ field: 'Deduplication Key', message: expect.stringMatching(/^is empty for this item/) }],
	]);
});

test('Create posts the text of HTML with hashtags, and warns about HTML that is not converted', async () => {
	const html = '<p>Tom &amp; Jerry</p>\n<p>Lakes [&hellip;]</p>';
	const postOptions = {
		...{ textFormat: 'html', hashtags: ['Kaffee & Kuchen'], altText: 'It&#8217;s' },
		title: 'R&amp;D <em>today</em>',
	};
	await platform.run({ text: html, postOptions });
	expect(platform.emulator.posts[0]!.request).toMatchObject({
		title: 'R&D today',
		text: 'Tom & Jerry\n\nLakes …\n\n#KaffeeKuchen',
		exclusive: { alt_text: 'It’s' },
	});
	const { hints } = await platform.run({ text: html });
	expect(hints[0]).toContain("Warning: 'Text' contains HTML");
	const { error } = await platform.run({
		text: '<br>',
		postOptions: { textFormat: 'html', hashtags: 'a' },
	});
	expect(error!.message).toContain("'Text' contains only spaces or markup");
});
