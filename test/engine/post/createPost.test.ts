import { startPlatform } from '../harness/platform';
import { usePosts } from './postSetup';

const { platform, created, posts } = usePosts();

const sentBody = () => created().at(-1)!.rawBody;

test('Create sends every option, byte for byte', async () => {
	const { outputs } = await platform.run({
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
	expect(sentBody()).toBe(
		'{"social_account_id":"acc_1","post_date":"2099-07-01T09:30:00+02:00","title":"A title","type":"REEL","text":"Neuer Artikel 发布 😀 #news","media_urls":["https://cdn.example/a,b.mp4"],"thumbnail":"https://cdn.example/cover.jpg","exclusive":{"alt_text":"A dog","share_to_feed":true,"thumbnail_offset":1500,"collaborators":["anna","ben"],"location_id":"213385402","trial_params":[{"graduation_strategy":"SS_PERFORMANCE"}],"music":{"constructor":7}},"__proto__":{"a":1},"ref":"9007199254740993"}',
	);
	expect(outputs[0]![0]!.json).toMatchObject({ status: 'queued', platform: 'PHOTO' });
});

test('Create sends the token in X-Legacy-Token, and no secret in the URL', async () => {
	await platform.run();
	const [request] = created();
	expect(request).toMatchObject({ method: 'POST', path: '/api/v1/socialPostCreatePhoto' });
	expect(request!.headers['x-legacy-token']).toBe(platform.emulator.tokens[0]!.token);
	expect(request!.headers['content-type']).toBe('application/json');
	expect(request!.headers.authorization).toBeUndefined();
});

test("Create outputs the platform's data unchanged, with 64-bit IDs and unknown fields", async () => {
	const { outputs } = await platform.run();
	const json = {
		request_id: expect.any(String),
		action_sn: posts()[0]!.action_sn,
		social_post_id: '9007199254740993',
		status: 'processing',
		platform: 'PHOTO',
		social_account_id: 'acc_1',
		created_at: expect.any(String),
	};
	expect(outputs).toEqual([[{ json, pairedItem: { item: 0 } }]]);
});

test.each<[timezone: string, publishAt: string, post_date: string]>([
	['America/New_York', '2099-01-01T09:00:00', '2099-01-01T09:00:00-05:00'],
	[
		'UTC',
		"={{ DateTime.fromISO('2099-01-01T09:00:00', { zone: 'Asia/Tokyo' }) }}",
		'2099-01-01T09:00:00+09:00',
	],
	['UTC', '={{ new Date(4070941200000) }}', '2099-01-01T09:00:00+00:00'],
])(
	"Create reads times and dates of expressions in the workflow's time zone %s: %s",
	async (timezone, publishAt, post_date) => {
		await platform.run({ publishTime: 'at', publishAt }, { timezone });
		expect(posts()[0]!.request).toMatchObject({ post_date });
	},
);

test('Create uses the field names and the platform name of the credential', async () => {
	await platform.stop();
	Object.assign(platform, await startPlatform({ platformName: 'Video' }));
	Object.assign(platform.credential, {
		...{ platformName: 'Video', videoCoverImageField: 'cover_url' },
		collaboratorsField: 'collabs',
	});
	await platform.run({
		postOptions: { videoCoverImageUrl: 'https://cdn.example/c.jpg', collaborators: ['anna'] },
	});
	expect(created()[0]!.path).toBe('/api/v1/socialPostCreateVideo');
	expect(JSON.parse(sentBody())).toMatchObject({
		cover_url: 'https://cdn.example/c.jpg',
		exclusive: { collabs: ['anna'] },
	});
});

test('Validate sends nothing, and outputs the request and its warnings', async () => {
	const { outputs } = await platform.run({ operation: 'validate', contentType: 'REEL' });
	const json = {
		summary: 'Ready, 1 warning',
		valid: true,
		request_body: {
			...{ social_account_id: 'acc_1', type: 'REEL', text: 'Hello' },
			media_urls: ['https://cdn.example/a.jpg'],
		},
		warnings: [{ field: 'Media', message: 'contains an image; a reel requires a video' }],
	};
	expect(outputs).toEqual([[{ json, pairedItem: { item: 0 } }]]);
	expect(platform.emulator.received).toEqual([]);
});

test('Create sends the request that Validate shows', async () => {
	const parameters = {
		...{ contentType: 'REEL', publishTime: 'at', publishAt: '2099-07-01T09:30:00' },
		postOptions: { altText: 'A', trialReel: 'MANUAL' },
	};
	const { outputs } = await platform.run({ operation: 'validate', ...parameters });
	await platform.run(parameters);
	expect(sentBody()).toBe(JSON.stringify(outputs[0]![0]!.json.request_body));
});
