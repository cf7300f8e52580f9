import { DateTime } from 'luxon';
import { checkLimits } from '../../../nodes/SocialOpenPlatform/post/media/files';
import { postOptionFields } from '../../../nodes/SocialOpenPlatform/post/fields';
import { preparePost } from '../../../nodes/SocialOpenPlatform/post/post';
import { pastTime } from '../../../nodes/SocialOpenPlatform/post/publishTime';

type PostParameters = Record<string, unknown>;

const context = {
	now: Date.parse('2026-11-21T12:00:00Z'),
	timezone: 'Europe/Berlin',
	findAccount: (id: string) => ({ id }),
	fieldNames: {},
	raw: {} as Record<string, unknown>,
};
const circular: Record<string, unknown> = {};
circular.self = circular;

const bare: PostParameters = {
	socialAccountId: 'acc_1',
	contentType: 'POST',
	text: '',
	mediaUrls: [],
	publishTime: 'now',
	publishAt: '',
	postOptions: {},
};
const prepare = (parameters: Partial<PostParameters>, more: Partial<typeof context> = {}) =>
	preparePost({ ...bare, ...parameters }, { ...context, ...more });
const problemsOf = (parameters: Partial<PostParameters>) =>
	prepare(parameters).issues.map(({ field, message }) => `${field} ${message}`);

describe('preparePost: the request body', () => {
	test('omits fields that are not set', () => {
		expect(prepare({})).toMatchObject({
			body: { social_account_id: 'acc_1', type: 'POST' },
			issues: [],
		});
		const empty = { altText: '', shareToFeed: null, collaborators: [], trialReel: 'OFF' };
		const { body } = prepare({ text: null, postOptions: { ...empty, videoCoverOffset: '' } });
		expect(Object.keys(body)).toEqual(['social_account_id', 'type']);
	});

	test('uses the field names of the credential', () => {
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
				postOptions: {
					videoCoverImageUrl: 'https://a.example/c.jpg',
					videoCoverOffset: 1,
					collaborators: ['a'],
					autoCropImage: true,
					locationId: 'l',
					trialReel: 'MANUAL',
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
				trial: [{ graduation_strategy: 'MANUAL' }],
			},
		});
	});

	test.each([
		['rows', ['https://a.example/1,2.jpg', 'https://a.example/3.jpg']],
		['JSON text in a row', ['["https://a.example/1,2.jpg","https://a.example/3.jpg"]']],
	])('reads media URLs from %s without splitting them at commas', (_, mediaUrls) => {
		expect(prepare({ mediaUrls }).body.media_urls).toEqual([
			'https://a.example/1,2.jpg',
			'https://a.example/3.jpg',
		]);
	});

	test.each([
		[false, false],
		['true', true],
		['false', false],
		['', undefined],
	])('reads a Boolean field set to %j as %j', (shareToFeed, expected) => {
		const { body } = prepare({ postOptions: { shareToFeed } });
		expect((body.exclusive as object | undefined) ?? {}).toEqual(
			expected === undefined ? {} : { share_to_feed: expected },
		);
	});

	test('adds other fields and options unchanged, with every digit', () => {
		const exclusive = '{"collaborator_roles":["x"],"trial_params":[{"days":3}]}';
		const json = `{"new":{"id":-9007199254740993,"n":1.5},"exclusive":${exclusive}}`;
		const { body, issues } = prepare({ postOptions: { altText: 'a', additionalBodyFields: json } });
		expect(issues).toEqual([]);
		expect(body).toMatchObject({
			new: { id: '-9007199254740993', n: 1.5 },
			exclusive: { alt_text: 'a', collaborator_roles: ['x'], trial_params: [{ days: 3 }] },
		});
	});

	test('keeps fields named __proto__ or constructor', () => {
		const fields = '{"__proto__":{"a":{"__proto__":1}},"constructor":"A","prototype":2}';
		const json = `{"exclusive":${fields},${fields.slice(1)}`;
		const { body, issues } = prepare({ postOptions: { additionalBodyFields: json } });
		expect(issues).toEqual([]);
		expect(JSON.stringify(body)).toBe(
			`{"social_account_id":"acc_1","type":"POST","exclusive":${fields},${fields.slice(1)}`,
		);
	});

	test('removes spaces and line breaks around the link of the cover', () => {
		const videoCoverImageUrl = ' https://a.example/c.jpg\n';
		const { body, issues } = prepare({ postOptions: { videoCoverImageUrl } });
		expect(issues).toEqual([]);
		expect(body.thumbnail).toBe('https://a.example/c.jpg');
	});

	test('converts numbers to text in text fields', () => {
		const postOptions = { locationId: 12, collaborators: [12345, ['67', 8]] };
		const { body, issues } = prepare({ socialAccountId: 42, text: 12n, postOptions });
		expect(issues).toEqual([]);
		expect(body).toMatchObject({
			...{ social_account_id: '42', text: '12' },
			exclusive: { location_id: '12', collaborators: ['12345', '67', '8'] },
		});
	});
});

describe('preparePost: problems', () => {
	test.each<[string, Partial<PostParameters>, string]>([
		['an empty account', { socialAccountId: '' }, 'Account is empty'],
		['a blank text', { text: ' \n ' }, 'Text contains only spaces'],
		['a long account', { socialAccountId: 'x'.repeat(129) }, 'Account is longer than 128'],
		['an account with lost digits', { socialAccountId: 2 ** 60 }, 'has lost some of its digits'],
		['an object as text', { text: { a: 1 } }, 'Text is an object, not text; name the field'],
		['a list as text', { text: ['a', 'b'] }, 'Text is a list, not text; join it'],
		[
			'a Luxon date as text',
			{ text: DateTime.now() },
			'or format a date, for example with {{ $now.',
		],
		['a JavaScript date as text', { text: new Date() }, 'or format a date, for example'],
		['a Boolean as text', { text: true }, 'Text is not text'],
		['half of a surrogate pair', { text: 'a\ud800' }, 'Text contains an incomplete character'],
		[
			'a cover that is not a URL',
			{ postOptions: { videoCoverImageUrl: 'cover.jpg' } },
			'Video Cover Image is not a valid link',
		],
		[
			'a long cover URL',
			{ postOptions: { videoCoverImageUrl: `https://a.example/${'x'.repeat(1000)}` } },
			'Video Cover Image is longer than 1000',
		],
		[
			'a negative offset',
			{ postOptions: { videoCoverOffset: -1 } },
			'Video Cover Offset must be at least 0',
		],
		[
			'a fractional offset',
			{ postOptions: { videoCoverOffset: 1.5 } },
			'Video Cover Offset is not a whole number',
		],
		[
			'101 links',
			{ mediaUrls: Array(101).fill('https://a.example/1.jpg') },
			'Media has more than 100',
		],
		['a media row that is null', { mediaUrls: [null] }, 'Media row 1 is empty'],
		['NaN as text', { text: NaN }, 'Text is not a finite number'],
		[
			'a Boolean written as a word',
			{ postOptions: { autoFitImage: 'yes' } },
			'Auto-Fit Image must be true',
		],
		[
			'an additional field that JSON cannot represent',
			{ postOptions: { additionalBodyFields: { price: Infinity } } },
			"Other Fields (JSON) contains 'price', a number that JSON cannot represent",
		],
		[
			'a circular object',
			{ postOptions: { additionalBodyFields: circular } },
			'Other Fields (JSON) is not plain data',
		],
		['a number as media URL', { mediaUrls: [5] }, 'Media row 1 (5) is not a valid link'],
		[
			'a list inside a list',
			{ mediaUrls: [[['https://a.example/1.jpg'], 'https://a.example/2.jpg']] },
			'Media row 1 (a list) is neither a link nor a file',
		],
		['an object as media URL', { mediaUrls: [{ url: 'data' }] }, 'is neither a link nor a file'],
		['an empty list in a row', { mediaUrls: [[]] }, 'Media row 1 is empty, or its expression'],
		[
			'an unknown kind of trial',
			{ contentType: 'REEL', postOptions: { trialReel: 'SLOW' } },
			'Trial Reel must be OFF, MANUAL or SS_PERFORMANCE',
		],
		[
			'other fields that are a list',
			{ postOptions: { additionalBodyFields: '[]' } },
			'Other Fields (JSON) is not a JSON object',
		],
		[
			'other options that are no object',
			{ postOptions: { additionalBodyFields: '{"exclusive":[]}' } },
			"Other Fields (JSON) contains 'exclusive', which is not an object",
		],
		[
			'a field that is given twice',
			{ postOptions: { title: 'a', additionalBodyFields: '{"title":"b"}' } },
			"Other Fields (JSON) contains 'title', which cannot be set here",
		],
		[
			'a trial that is given twice',
			{
				contentType: 'REEL',
				postOptions: {
					trialReel: 'MANUAL',
					additionalBodyFields: '{"exclusive":{"trial_params":[]}}',
				},
			},
			"Other Fields (JSON) contains 'exclusive.trial_params', which cannot be set here",
		],
		['invalid JSON', { postOptions: { additionalBodyFields: '{' } }, 'is not a JSON object'],
		[
			'an unknown choice of Publish Time',
			{ publishTime: 'later' },
			"Publish Time must be 'now' or 'at'",
		],
		['an empty Publish At', { publishTime: 'at' }, 'Publish At is empty'],
		[
			'text that is not a date',
			{ publishTime: 'at', publishAt: 'soon' },
			'Publish At (soon) is not a date',
		],
	])('reports %s', (_, parameters, expected) => {
		expect(problemsOf(parameters)).toEqual([expect.stringContaining(expected)]);
	});

	test.each([
		['ftp://user:hidden@a.example/b.jpg', /^\(ftp:\/\/…@a\.example\/b\.jpg\) is not a valid link/],
		['https://a.example/two https://b.example/in-one', /contains no spaces, /],
		[
			`https://a.example/${'x'.repeat(1000)}?key=hidden`,
			/^\((?!.*hidden).*\) is longer than 1000 characters; download the file, and post it as a file$/,
		],
		['https://user:hid@den@a.example/d e.jpg', /^\(https:\/\/…@a\.example\/d e\.jpg\) is not/],
		['https://user:hid/den@a.example/e.jpg', /^\(https:\/\/…@a\.example\/e\.jpg\) is not/],
		['https:\\\\user:hidden@a.example\\f g', /^\(https:\\\\…@a\.example\\f g\) is not/],
	])('reports %s without its query and its login', (url, expected) => {
		const [problem] = problemsOf({ mediaUrls: ['https://a.example/ok.jpg', url] });
		expect(problem).toMatch(/^Media row 2 /);
		expect(problem!.slice('Media row 2 '.length)).toMatch(expected);
	});

	test('reports the first row of a list that cannot be sent', () => {
		const links = ['https://a.example/1.jpg', 'https://a.example/2.jpg'];
		const long = 'x'.repeat(129);
		expect(
			problemsOf({
				mediaUrls: [links, [...links, 'x/1'], 'x/2', [], ''],
				postOptions: { collaborators: ['', 'anna', ['', long], '@'] },
			}),
		).toEqual([
			expect.stringMatching(/^Media row 2 \(x\/1\) is /),
			expect.stringMatching(/^Collaborators row 3 \(xxx/),
		]);
		const empty = prepare({ postOptions: { collaborators: ['', ['anna', null], '@'] } });
		expect(empty.warnings.filter(({ field }) => field === 'Collaborators')).toMatchObject([
			...['row 1 ', 'row 2 ', 'row 3 '].map((row) => ({
				message: `${row}is empty; it is not sent`,
			})),
		]);
	});

	test('reports a time in the past, with the time that was understood', () => {
		expect(problemsOf({ publishTime: 'at', publishAt: '2026-11-21T12:30:00' })).toEqual([
			"Publish At is in the past: it was understood as 2026-11-21T12:30:00+01:00; the workflow's time zone is Europe/Berlin",
		]);
		expect(problemsOf({ publishTime: 'at', publishAt: '2026-11-21T13:00:01' })).toEqual([]);
	});

	test('lets pastTime report a time that passes before the post is sent', () => {
		const { values, issues } = prepare({ publishTime: 'at', publishAt: '2026-11-21T13:00:01' });
		expect(issues).toEqual([]);
		const now = Date.parse('2026-11-21T12:00:01Z');
		expect(pastTime(values.post_date!, context.timezone, now)).toBeUndefined();
		expect(pastTime(values.post_date!, context.timezone, now + 1)).toBe(
			"is in the past: it was understood as 2026-11-21T13:00:01+01:00; the workflow's time zone is Europe/Berlin",
		);
	});

	test('accepts 255 characters outside the basic plane', () => {
		expect(problemsOf({ postOptions: { title: '😀'.repeat(255) } })).toEqual([]);
	});

	test.each([
		...[
			'javascript:alert(1)',
			'file:///etc/passwd',
			'//cdn.example/a.jpg',
			'https://',
			'http://[::1',
		],
		...['blob:https://a/b', 'ht\ttps://cdn.example/a.jpg', 'https://cdn.example/a\u2028b.jpg'],
		'{'.repeat(100_000),
	])('refuses a link that is not a URL: %s', (url) => {
		expect(problemsOf({ mediaUrls: [url] })).toHaveLength(1);
	});
});

describe('preparePost with an unknown time zone', () => {
	const at = (publishAt: unknown) =>
		prepare({ publishTime: 'at', publishAt }, { timezone: 'Mars/Phobos' });

	test('refuses a time without an offset', () => {
		expect(at('2026-12-31T18:00').issues).toMatchObject([
			{
				message: expect.stringMatching(/is not a date and time; .* or 2026-12-31T18:00:00\+02:00/),
			},
		]);
	});
});

describe('preparePost with an expression that returns nothing', () => {
	const expression = '={{ $json.missing }}';
	const given = (raw: Record<string, unknown>, parameters: Partial<PostParameters>) => {
		const post = prepare({ mediaUrls: ['https://a.example/a.jpg'], ...parameters }, { raw });
		const reported = (list: typeof post.issues) =>
			list.map(({ field, message }) => `${field} ${message}`);
		checkLimits(post, false);
		const { issues, warnings, body } = post;
		return { problems: reported(issues), warnings: reported(warnings), body };
	};

	test('refuses no value for Text, Content Type and Media', () => {
		const value = undefined;
		const raw = { text: expression, contentType: expression, mediaUrls: expression };
		expect(
			given(raw, { text: value, contentType: value, mediaUrls: value }).problems.sort(),
		).toEqual([
			'Content Type has an expression that returns no value for this item; correct it, or choose a type',
			'Media has an expression that returns no value for this item; correct it, or leave the field empty to post without media',
			"Text has an expression that returns no value for this item; correct it, or leave the field empty or return empty text ('') to post without text",
		]);
	});

	test('warns when an expression returns empty text', () => {
		expect(given({ text: expression }, { text: '' })).toMatchObject({
			problems: [],
			warnings: ['Text has an expression that returns nothing for this item; it is not sent'],
		});
		expect(given({ text: '' }, { text: '' })).toMatchObject({ problems: [], warnings: [] });
		expect(given({}, { text: null })).toMatchObject({ problems: [], warnings: [] });
	});

	test.each(postOptionFields.map(({ property }) => [property.displayName, property.name]))(
		'omits %s with a warning',
		(label, name) => {
			const warnings = [
				`${label} has an expression that returns nothing for this item; it is not sent`,
			];
			for (const nothing of [null, undefined, '']) {
				const value = { postOptions: { [name]: nothing } };
				const own = { postOptions: { [name]: expression } };
				expect(given(own, value)).toMatchObject({ problems: [], warnings });
				expect(given({ postOptions: { [name]: '' } }, value)).toMatchObject({ warnings: [] });
			}
		},
	);

	test('omits empty rows with a warning, and entries without a value', () => {
		const additionalBodyFields = { a: undefined, b: 1 };
		const { problems, warnings, body } = given(
			{},
			{ postOptions: { additionalBodyFields, collaborators: [null, 'anna'] } },
		);
		expect(problems).toEqual([]);
		expect(warnings).toEqual(['Collaborators row 1 is empty; it is not sent']);
		expect(body).toMatchObject({ b: 1, exclusive: { collaborators: ['anna'] } });
	});
});

describe('checkLimits', () => {
	const messagesOf = (parameters: Partial<PostParameters>) => {
		const post = prepare({ mediaUrls: ['https://a.example/a.jpg'], ...parameters });
		checkLimits(post, false);
		return post.warnings.map(({ field, message }) => `${field} ${message}`);
	};
	const video = { mediaUrls: ['https://a.example/a.mp4?x=1'] };
	const reel = { contentType: 'REEL', ...video };

	test('reports none for a valid post, reel or story', () => {
		expect(messagesOf({ text: 'Hello #world' })).toEqual([]);
		expect(
			messagesOf({ ...reel, postOptions: { shareToFeed: true, videoCoverOffset: 1 } }),
		).toEqual([]);
		expect(messagesOf({ contentType: 'STORY' })).toEqual([]);
		expect(messagesOf({ ...video, postOptions: { shareToFeed: true } })).toEqual([]);
	});

	test('reports none for a field that has a problem', () => {
		expect(messagesOf({ mediaUrls: ['x'] })).toEqual([]);
	});

	test.each<[string, Partial<PostParameters>, string]>([
		[
			'a caption that is too long',
			{ text: 'x'.repeat(2201) },
			'Text is longer than 2200 characters',
		],
		['too many hashtags', { text: '#tag '.repeat(31) }, 'Text contains more than 30 hashtags'],
		['no media', { mediaUrls: [] }, 'Media is empty'],
		[
			'too many media URLs',
			{ mediaUrls: Array.from({ length: 11 }, (_, i) => `https://a.example/${i}.jpg`) },
			'Media has more than 10 entries',
		],
		[
			'two media URLs in a story',
			{ contentType: 'STORY', mediaUrls: ['https://a.example/1.jpg', 'https://a.example/2.jpg'] },
			'Media has several entries',
		],
		['an image in a reel', { contentType: 'REEL' }, 'Media contains an image; a reel'],
		['a PNG', { mediaUrls: ['https://a.example/a.PNG?x=1'] }, 'is PNG; only JPEG is certain'],
		[
			'a URL with characters outside ASCII',
			{ mediaUrls: ['https://a.example/ä.jpg'] },
			'outside ASCII',
		],
		['HTML in the text', { text: '<p>Tom &amp; Jerry</p>' }, 'Text contains HTML'],
		['HTML in the alt text', { postOptions: { altText: 'It&#8217;s' } }, 'Alt Text contains HTML'],
		['a hashtag of digits', { text: 'Best of #2024' }, 'Text contains a hashtag without a letter'],
		[
			'a private host',
			{ mediaUrls: ['http://192.168.1.5/a.jpg'] },
			'that the platform cannot reach',
		],
		[
			'an alt text that is too long',
			{ postOptions: { altText: 'x'.repeat(1001) } },
			'Alt Text is longer than 1000',
		],
		[
			'four collaborators',
			{ postOptions: { collaborators: ['a', 'b', 'c', 'd'] } },
			'more than 3 entries',
		],
		[
			'several usernames in one row',
			{ postOptions: { collaborators: ['anna, ben'] } },
			'one username per row',
		],
		[
			'Auto-Fit Image together with Auto-Crop Image',
			{ postOptions: { autoFitImage: true, autoCropImage: true } },
			'Auto-Fit Image cannot be combined with Auto-Crop Image',
		],
		[
			'Auto-Fit Image with a video',
			{ ...video, postOptions: { autoFitImage: true } },
			'Auto-Fit Image works only with',
		],
		[
			'Share to Feed with an image',
			{ postOptions: { shareToFeed: true } },
			'Share to Feed works only with',
		],
		[
			'a trial reel of another type',
			{ postOptions: { trialReel: 'MANUAL' } },
			'Trial Reel works only with',
		],
	])('warns about %s', (_, parameters, expected) => {
		expect(messagesOf(parameters)).toEqual([expect.stringContaining(expected)]);
		expect(problemsOf(parameters)).toEqual([]);
	});
});
