import { DateTime } from 'luxon';
import { preparePost } from '../../nodes/SocialOpenPlatform/actions/post/create.request';
import type { PostParameters } from '../../nodes/SocialOpenPlatform/actions/post/parameters';
import { pastTime } from '../../nodes/SocialOpenPlatform/actions/post/publishTime';
import { defaultFieldNames } from '../../nodes/SocialOpenPlatform/protocol/fieldNames';

const context = {
	now: new Date('2026-11-21T12:00:00Z'),
	timezone: 'Europe/Berlin',
	fieldNames: defaultFieldNames,
};
const bare: PostParameters = {
	socialAccountId: 'acc_1',
	contentType: 'POST',
	text: '',
	mediaUrls: [],
	publishTime: 'now',
	publishAt: '',
	additionalFields: {},
	exclusive: {},
};
const prepare = (parameters: Partial<PostParameters>, more: Partial<typeof context> = {}) =>
	preparePost({ ...bare, ...parameters }, { ...context, ...more });
const problemsOf = (parameters: Partial<PostParameters>) =>
	prepare(parameters).problems.map(({ field, message }) => `${field} ${message}`);

describe('The request body', () => {
	test('holds nothing that was not set', () => {
		expect(prepare({})).toMatchObject({
			body: { social_account_id: 'acc_1', type: 'POST' },
			problems: [],
		});
		const empty = { altText: '', shareToFeed: null, collaborators: [], trialSettings: {} };
		const { body } = prepare({ text: null, exclusive: { ...empty, videoCoverOffset: '' } });
		expect(Object.keys(body)).toEqual(['social_account_id', 'type']);
	});

	test('holds every field of the interface, in its order and by its name', () => {
		const { body, problems } = prepare({
			text: 'Hello #world',
			mediaUrls: ['https://cdn.example/a.mp4'],
			contentType: 'REEL',
			publishTime: 'at',
			publishAt: '2026-12-01T09:30:00',
			additionalFields: { title: 'T', videoCoverImageUrl: 'https://cdn.example/c.jpg' },
			exclusive: {
				altText: 'alt',
				shareToFeed: true,
				autoFitImage: false,
				videoCoverOffset: 1500,
				collaborators: ['@anna', 'ben'],
				autoCropImage: false,
				locationId: '123',
				trialSettings: { setting: [{ graduationStrategy: 'MANUAL' }] },
			},
		});
		expect(problems).toEqual([]);
		expect(JSON.stringify(body)).toBe(
			'{"social_account_id":"acc_1","post_date":"2026-12-01T09:30:00+01:00","title":"T","type":"REEL","text":"Hello #world","media_urls":["https://cdn.example/a.mp4"],"thumbnail":"https://cdn.example/c.jpg","exclusive":{"alt_text":"alt","share_to_feed":true,"auto_fit_image":false,"thumbnail_offset":1500,"collaborators":["anna","ben"],"auto_crop_image":false,"location_id":"123","trial_params":[{"graduation_strategy":"MANUAL"}]}}',
		);
	});

	test('uses the field names that the credential sets', () => {
		const fieldNames = {
			thumbnail: 'cover_url',
			thumbnail_offset: 'cover_ms',
			collaborators: 'collab_usernames',
			auto_crop_image: 'crop',
			location_id: 'place',
			trial_params: 'trial',
		};
		const { body } = prepare(
			{
				additionalFields: { videoCoverImageUrl: 'https://a.example/c.jpg' },
				exclusive: {
					videoCoverOffset: 1,
					collaborators: ['a'],
					autoCropImage: true,
					locationId: 'l',
					trialSettingsJson: '[{"x":1}]',
				},
			},
			{ fieldNames },
		);
		expect(body).toMatchObject({
			cover_url: 'https://a.example/c.jpg',
			exclusive: {
				cover_ms: 1,
				collab_usernames: ['a'],
				crop: true,
				place: 'l',
				trial: [{ x: 1 }],
			},
		});
	});

	test.each([
		['rows', ['https://a.example/1,2.jpg', 'https://a.example/3.jpg']],
		['lines', 'https://a.example/1,2.jpg\r\n\n  https://a.example/3.jpg \n'],
		['a row with lines', ['https://a.example/1,2.jpg\nhttps://a.example/3.jpg']],
		['objects', [{ url: 'https://a.example/1,2.jpg' }, { url: 'https://a.example/3.jpg', x: 1 }]],
		['a list in a row', [['https://a.example/1,2.jpg', 'https://a.example/3.jpg']]],
		['JSON text', '["https://a.example/1,2.jpg",{"url":"https://a.example/3.jpg"}]'],
	])('takes media URLs as %s and never splits at commas', (_, mediaUrls) => {
		expect(prepare({ mediaUrls }).body.media_urls).toEqual([
			'https://a.example/1,2.jpg',
			'https://a.example/3.jpg',
		]);
	});

	test.each([
		[true, true],
		[false, false],
		['true', true],
		['false', false],
		[null, undefined],
		['', undefined],
	])('takes a switch set to %j as %j', (shareToFeed, expected) => {
		const { body } = prepare({ exclusive: { shareToFeed } });
		expect((body.exclusive as object | undefined) ?? {}).toEqual(
			expected === undefined ? {} : { share_to_feed: expected },
		);
	});

	test('sends additional fields and options untouched, beside the others', () => {
		const { body } = prepare({
			additionalFields: { additionalBodyFields: '{"new":{"id":9007199254740993}}' },
			exclusive: { altText: 'a', additionalExclusiveOptions: { collaborator_roles: ['x'] } },
		});
		expect(body).toMatchObject({
			new: { id: '9007199254740993' },
			exclusive: { alt_text: 'a', collaborator_roles: ['x'] },
		});
	});

	test('drops collaborators that give nothing, and JSON settings left empty beside rows', () => {
		const { body, problems } = prepare({
			exclusive: {
				collaborators: [null, 'anna', ''],
				trialSettings: { setting: { graduationStrategy: 'MANUAL' } },
				trialSettingsJson: '[]',
			},
		});
		expect(problems).toEqual([]);
		expect(body.exclusive).toEqual({
			collaborators: ['anna'],
			trial_params: [{ graduation_strategy: 'MANUAL' }],
		});
	});

	test('takes numbers as text where text is wanted', () => {
		const { body } = prepare({ socialAccountId: 42, text: 7, exclusive: { locationId: 12 } });
		expect(body).toMatchObject({
			social_account_id: '42',
			text: '7',
			exclusive: { location_id: '12' },
		});
	});
});

describe('A problem', () => {
	test.each<[string, Partial<PostParameters>, string]>([
		['no account', { socialAccountId: '' }, 'Social Account ID is empty'],
		['no account at all', { socialAccountId: undefined }, 'Social Account ID is empty'],
		[
			'a long account',
			{ socialAccountId: 'x'.repeat(129) },
			'Social Account ID is longer than 128',
		],
		['an account with lost digits', { socialAccountId: 2 ** 60 }, 'has lost some of its digits'],
		['a long title', { additionalFields: { title: 'x'.repeat(256) } }, 'Title is longer than 255'],
		['a long type', { contentType: 'x'.repeat(65) }, 'Content Type is longer than 64'],
		['an object as text', { text: { a: 1 } }, 'Text is not text but an object; name the field'],
		['a list as text', { text: ['a', 'b'] }, 'Text is not text but a list; join it'],
		[
			'a date of n8n as text',
			{ text: DateTime.now() },
			'Text is not text but a date; write it out',
		],
		['a date as text', { text: new Date() }, 'Text is not text but a date; write it out'],
		['a switch as text', { text: true }, 'Text is not text'],
		['half a character', { text: 'a\ud800' }, 'Text holds half of a character'],
		[
			'a cover that is no URL',
			{ additionalFields: { videoCoverImageUrl: 'cover.jpg' } },
			'Video Cover Image URL is not a web address',
		],
		[
			'a long cover URL',
			{ additionalFields: { videoCoverImageUrl: `https://a.example/${'x'.repeat(1000)}` } },
			'Video Cover Image URL is longer than 1000',
		],
		['a negative offset', { exclusive: { videoCoverOffset: -1 } }, 'Video Cover Offset is below 0'],
		[
			'a broken offset',
			{ exclusive: { videoCoverOffset: 1.5 } },
			'Video Cover Offset is not a whole number',
		],
		[
			'an offset in words',
			{ exclusive: { videoCoverOffset: 'two' } },
			'Video Cover Offset is not a whole number',
		],
		[
			'a long collaborator',
			{ exclusive: { collaborators: ['ok', 'x'.repeat(129)] } },
			'Collaborators row 2',
		],
		['a row that gives nothing', { mediaUrls: [null] }, 'Media URLs row 1 () is empty'],
		[
			'an object without its URL',
			{ mediaUrls: [{ url: undefined }, { url: 'https://a.example/1.jpg' }] },
			'Media URLs row 1 () is empty',
		],
		['a function as media', { mediaUrls: [() => 1] }, 'Media URLs row 1 (function) is not text'],
		['no number', { text: NaN }, 'Text is not a number that can be written out'],
		['an @ alone', { exclusive: { collaborators: ['@'] } }, 'Collaborators row 1 () is empty'],
		[
			'a trial row without a choice',
			{ exclusive: { trialSettings: { setting: [{ graduationStrategy: '' }] } } },
			'Trial Settings row 1 has no Graduation',
		],
		['a long location', { exclusive: { locationId: 'x'.repeat(129) } }, 'Location ID is longer'],
		['a switch in words', { exclusive: { autoFitImage: 'yes' } }, 'Auto-Fit Image is neither'],
		[
			'trial settings as object',
			{ exclusive: { trialSettingsJson: '{}' } },
			'Trial Settings is not a',
		],
		[
			'trial settings twice',
			{
				exclusive: {
					trialSettings: { setting: [{ graduationStrategy: 'MANUAL' }] },
					trialSettingsJson: '[{}]',
				},
			},
			'Trial Settings are filled in as rows and as JSON',
		],
		['broken JSON', { additionalFields: { additionalBodyFields: '{' } }, 'is not a JSON object'],
		['a JSON list', { exclusive: { additionalExclusiveOptions: '[]' } }, 'is not a JSON object'],
		[
			'a known field among the additional ones',
			{ additionalFields: { additionalBodyFields: '{"title":"x"}' } },
			"holds 'title', which has a field of its own",
		],
		[
			'exclusive among the additional ones',
			{ additionalFields: { additionalBodyFields: '{"exclusive":{}}' } },
			"holds 'exclusive'",
		],
		['a time nobody knows', { publishTime: 'later' }, "Publish Time is neither 'now' nor 'at'"],
		['no time', { publishTime: 'at' }, 'Publish At is empty'],
		[
			'no date as time',
			{ publishTime: 'at', publishAt: 'soon' },
			'Publish At (soon) is not a date',
		],
	])('is %s', (_, parameters, expected) => {
		expect(problemsOf(parameters)).toEqual([expect.stringContaining(expected)]);
	});

	test('names each media URL by itself, with its row and without its query', () => {
		expect(
			problemsOf({
				mediaUrls: [
					'https://a.example/ok.jpg',
					'ftp://a.example/b.jpg',
					'https://a.example/two https://b.example/in-one',
					`https://a.example/${'x'.repeat(1000)}?key=hidden`,
					{ src: 'https://a.example/c.jpg' },
				],
			}),
		).toEqual([
			expect.stringMatching(
				/^Media URLs row 2 \(ftp:\/\/a\.example\/b\.jpg\) is not a web address/,
			),
			expect.stringMatching(/^Media URLs row 3 .* holds no spaces$/),
			expect.stringMatching(/^Media URLs row 4 \((?!.*hidden).*\) is longer than 1000 characters$/),
			expect.stringMatching(
				/^Media URLs row 5 .* is not text but an object; name the field in it that holds the text$/,
			),
		]);
	});

	test('is every problem of the item at once', () => {
		expect(
			problemsOf({
				socialAccountId: '',
				mediaUrls: ['x'],
				publishTime: 'at',
				additionalFields: { title: 'x'.repeat(256) },
				exclusive: { videoCoverOffset: -1 },
			}),
		).toHaveLength(5);
	});

	test('is a time that has passed, with the instant that was understood', () => {
		expect(problemsOf({ publishTime: 'at', publishAt: '2026-11-21T12:30:00' })).toEqual([
			"Publish At is in the past: it was understood as 2026-11-21T12:30:00+01:00; the workflow's time zone is Europe/Berlin",
		]);
		expect(problemsOf({ publishTime: 'at', publishAt: '2026-11-21T13:00:01' })).toEqual([]);
	});

	test('can be asked again for a time that passes before the post is sent', () => {
		const { body, problems, publishAt } = prepare({
			...{ publishTime: 'at', publishAt: '2026-11-21T13:00:01' },
		});
		expect(problems).toEqual([]);
		expect(publishAt).toBe(Date.parse('2026-11-21T12:00:01Z'));
		const date = body.post_date as string;
		expect(pastTime(publishAt!, date, context.timezone, publishAt)).toBeUndefined();
		expect(pastTime(publishAt!, date, context.timezone, publishAt! + 1)).toEqual({
			field: 'Publish At',
			message:
				"is in the past: it was understood as 2026-11-21T13:00:01+01:00; the workflow's time zone is Europe/Berlin",
		});
		expect(prepare({}).publishAt).toBeUndefined();
	});

	test('is not a text of 255 characters beyond the first plane', () => {
		expect(problemsOf({ additionalFields: { title: '😀'.repeat(255) } })).toEqual([]);
	});
});

describe('A warning', () => {
	const warningsOf = (parameters: Partial<PostParameters>) =>
		prepare({ mediaUrls: ['https://a.example/a.jpg'], ...parameters })
			.warnings()
			.map(({ field, message }) => `${field} ${message}`);
	const video = { mediaUrls: ['https://a.example/a.mp4?x=1'] };
	const reel = { contentType: 'REEL', ...video };

	test('is not given for a sound post, reel or story', () => {
		expect(warningsOf({ text: 'Hello #world' })).toEqual([]);
		expect(warningsOf({ ...reel, exclusive: { shareToFeed: true, videoCoverOffset: 1 } })).toEqual(
			[],
		);
		expect(warningsOf({ contentType: 'STORY' })).toEqual([]);
		expect(warningsOf({ ...video, exclusive: { shareToFeed: true } })).toEqual([]);
	});

	test('is not given for a field that has a problem', () => {
		expect(warningsOf({ mediaUrls: ['x'] })).toEqual([]);
	});

	test.each<[string, Partial<PostParameters>, string]>([
		['a long caption', { text: 'x'.repeat(2201) }, 'Text is over 2200 characters'],
		['many hashtags', { text: '#tag '.repeat(31) }, 'Text holds more than 30 hashtags'],
		['no media', { mediaUrls: [] }, 'Media URLs is empty'],
		[
			'many media',
			{ mediaUrls: Array.from({ length: 11 }, (_, i) => `https://a.example/${i}.jpg`) },
			'Media URLs has more than 10 entries',
		],
		[
			'two media in a story',
			{ contentType: 'STORY', mediaUrls: ['https://a.example/1.jpg', 'https://a.example/2.jpg'] },
			'Media URLs has several entries',
		],
		['an image in a reel', { contentType: 'REEL' }, 'Media URLs holds an image; a reel'],
		['a PNG', { mediaUrls: ['https://a.example/a.png'] }, 'Media URLs holds an image that is not'],
		['other than ASCII', { mediaUrls: ['https://a.example/ä.jpg'] }, 'outside ASCII'],
		[
			'two URLs joined by a comma',
			{ mediaUrls: ['https://a.example/1.jpg,https://a.example/2.jpg'] },
			'holds a comma followed by http',
		],
		['a private host', { mediaUrls: ['http://192.168.1.5/a.jpg'] }, 'cannot reach from outside'],
		['a long alt text', { exclusive: { altText: 'x'.repeat(1001) } }, 'Alt Text is over 1000'],
		['four collaborators', { exclusive: { collaborators: 'a\nb\nc\nd' } }, 'more than 3 people'],
		[
			'collaborators in a story',
			{ contentType: 'STORY', exclusive: { collaborators: ['a'] } },
			'Collaborators is set; a story',
		],
		['a list as one name', { exclusive: { collaborators: ['anna, ben'] } }, 'one username a row'],
		[
			'a location in a story',
			{ contentType: 'STORY', exclusive: { locationId: 'x' } },
			'Location ID is set; a story',
		],
		[
			'fit and crop together',
			{ exclusive: { autoFitImage: true, autoCropImage: true } },
			'Auto-Fit Image and Auto-Crop Image exclude each other',
		],
		[
			'fit with a video',
			{ ...video, exclusive: { autoFitImage: true } },
			'Auto-Fit Image goes with',
		],
		[
			'crop with a video',
			{ ...video, exclusive: { autoCropImage: true } },
			'Auto-Crop Image goes with',
		],
		['feed with an image', { exclusive: { shareToFeed: true } }, 'Share to Feed goes with'],
		[
			'trial without reel',
			{ exclusive: { trialSettingsJson: '[{}]' } },
			'Trial Settings goes with',
		],
		[
			'cover and offset',
			{
				...reel,
				additionalFields: { videoCoverImageUrl: 'https://a.example/c.jpg' },
				exclusive: { videoCoverOffset: 1 },
			},
			'Video Cover Offset has no effect',
		],
		[
			'a time that does not exist',
			{ publishTime: 'at', publishAt: '2027-03-28T02:30:00' },
			'Publish At does not exist in Europe/Berlin',
		],
	])('is %s', (_, parameters, expected) => {
		expect(warningsOf(parameters)).toEqual([expect.stringContaining(expected)]);
		expect(problemsOf(parameters)).toEqual([]);
	});
});
