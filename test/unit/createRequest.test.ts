import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';
import { postFields } from '../../nodes/SocialOpenPlatform/actions/post/fields';
import {
	preparePost,
	type PostParameters,
} from '../../nodes/SocialOpenPlatform/actions/post/request';
import { pastTime } from '../../nodes/SocialOpenPlatform/actions/post/publishTime';
import { defaultFieldNames } from '../../nodes/SocialOpenPlatform/protocol/fieldNames';

const context = {
	now: new Date('2026-11-21T12:00:00Z'),
	timezone: 'Europe/Berlin',
	fieldNames: defaultFieldNames,
	raw: {} as Record<string, unknown>,
};
const circular: Record<string, unknown> = {};
circular.self = circular;
const listInItself: unknown[] = [];
listInItself.push(listInItself);

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

describe('preparePost: the request body', () => {
	test('omits fields that are not set', () => {
		expect(prepare({})).toMatchObject({
			body: { social_account_id: 'acc_1', type: 'POST' },
			problems: [],
		});
		const empty = { altText: '', shareToFeed: null, collaborators: [], trialSettings: {} };
		const { body } = prepare({ text: null, exclusive: { ...empty, videoCoverOffset: '' } });
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
		['text with one URL per line', 'https://a.example/1,2.jpg\r\n\n  https://a.example/3.jpg \n'],
		['a row with one URL per line', ['https://a.example/1,2.jpg\nhttps://a.example/3.jpg']],
		['objects', [{ url: 'https://a.example/1,2.jpg' }, { url: 'https://a.example/3.jpg', x: 1 }]],
		['a list in a row', [['https://a.example/1,2.jpg', 'https://a.example/3.jpg']]],
		['JSON text', '["https://a.example/1,2.jpg",{"url":"https://a.example/3.jpg"}]'],
	])('reads media URLs from %s without splitting them at commas', (_, mediaUrls) => {
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
	])('reads a Boolean field set to %j as %j', (shareToFeed, expected) => {
		const { body } = prepare({ exclusive: { shareToFeed } });
		expect((body.exclusive as object | undefined) ?? {}).toEqual(
			expected === undefined ? {} : { share_to_feed: expected },
		);
	});

	test('adds the additional fields and options unchanged', () => {
		const { body } = prepare({
			additionalFields: { additionalBodyFields: '{"new":{"id":9007199254740993}}' },
			exclusive: { altText: 'a', additionalExclusiveOptions: { collaborator_roles: ['x'] } },
		});
		expect(body).toMatchObject({
			new: { id: '9007199254740993' },
			exclusive: { alt_text: 'a', collaborator_roles: ['x'] },
		});
	});

	test('keeps fields named __proto__ or constructor', () => {
		const fields = '{"__proto__":{"a":{"__proto__":1}},"constructor":"A","prototype":2}';
		const { body, problems } = prepare({
			additionalFields: { additionalBodyFields: fields },
			exclusive: { additionalExclusiveOptions: JSON.parse(fields) as object },
		});
		expect(problems).toEqual([]);
		expect(JSON.stringify(body)).toBe(
			`{"social_account_id":"acc_1","type":"POST","exclusive":${fields},${fields.slice(1)}`,
		);
	});

	test('reads collections that an expression returns as JSON text', () => {
		const { body, problems } = prepare({
			additionalFields: '{"title":"T","additionalBodyFields":{"a":1}}',
			exclusive: '{"altText":"A","collaborators":["@anna"],"shareToFeed":false}',
		});
		expect(problems).toEqual([]);
		expect(body).toMatchObject({
			...{ title: 'T', a: 1 },
			exclusive: { alt_text: 'A', collaborators: ['anna'], share_to_feed: false },
		});
	});

	test('keeps the digits of numbers that are too long for JavaScript', () => {
		const json = '{"a":1e400,"b":-1E400,"c":9007199254740993.0,"d":123456789012345678.5,"e":1.5}';
		const digits = {
			...{ a: '1e400', b: '-1E400', c: '9007199254740993.0', d: '123456789012345678.5', e: 1.5 },
		};
		const { body, problems } = prepare({
			additionalFields: { additionalBodyFields: json },
			exclusive: { trialSettingsJson: `[${json}]` },
		});
		expect(problems).toEqual([]);
		expect(body).toMatchObject({ ...digits, exclusive: { trial_params: [digits] } });
	});

	test('omits empty collaborators, and empty JSON settings if there are rows', () => {
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

	test('removes spaces and line breaks around the link of the cover', () => {
		const videoCoverImageUrl = ' https://a.example/c.jpg\n';
		const { body, problems } = prepare({ additionalFields: { videoCoverImageUrl } });
		expect(problems).toEqual([]);
		expect(body.thumbnail).toBe('https://a.example/c.jpg');
	});

	test('converts numbers to text in text fields', () => {
		const { body } = prepare({ socialAccountId: 42, text: 7, exclusive: { locationId: 12 } });
		expect(body).toMatchObject({
			social_account_id: '42',
			text: '7',
			exclusive: { location_id: '12' },
		});
		const lists = prepare({ text: 12n, exclusive: { collaborators: [12345, ['67', 8]] } });
		expect(lists.problems).toEqual([]);
		expect(lists.body).toMatchObject({
			...{ text: '12', exclusive: { collaborators: ['12345', '67', '8'] } },
		});
	});
});

describe('preparePost: problems', () => {
	test.each<[string, Partial<PostParameters>, string]>([
		['an empty account', { socialAccountId: '' }, 'Social Account ID is empty'],
		['an undefined account', { socialAccountId: undefined }, 'Social Account ID is empty'],
		['a blank account', { socialAccountId: ' \n ' }, 'Social Account ID is empty'],
		['a blank text', { text: ' \n ' }, 'Text contains only spaces or line breaks'],
		[
			'a long account',
			{ socialAccountId: 'x'.repeat(129) },
			'Social Account ID is longer than 128',
		],
		['an account with lost digits', { socialAccountId: 2 ** 60 }, 'has lost some of its digits'],
		['a long title', { additionalFields: { title: 'x'.repeat(256) } }, 'Title is longer than 255'],
		['a long type', { contentType: 'x'.repeat(65) }, 'Content Type is longer than 64'],
		['an object as text', { text: { a: 1 } }, 'Text is an object, not text; name the field'],
		['a list as text', { text: ['a', 'b'] }, 'Text is a list, not text; join it'],
		['a Luxon date as text', { text: DateTime.now() }, 'Text is a date, not text; format it'],
		['a JavaScript date as text', { text: new Date() }, 'Text is a date, not text; format it'],
		['a Boolean as text', { text: true }, 'Text is not text'],
		['half of a surrogate pair', { text: 'a\ud800' }, 'Text contains an incomplete character'],
		[
			'a cover that is not a URL',
			{ additionalFields: { videoCoverImageUrl: 'cover.jpg' } },
			'Video Cover Image is not a valid link',
		],
		[
			'a long cover URL',
			{ additionalFields: { videoCoverImageUrl: `https://a.example/${'x'.repeat(1000)}` } },
			'Video Cover Image is longer than 1000',
		],
		[
			'a negative offset',
			{ exclusive: { videoCoverOffset: -1 } },
			'Video Cover Offset must be at least 0',
		],
		[
			'a fractional offset',
			{ exclusive: { videoCoverOffset: 1.5 } },
			'Video Cover Offset is not a whole number',
		],
		[
			'an offset written as a word',
			{ exclusive: { videoCoverOffset: 'two' } },
			'Video Cover Offset is not a whole number',
		],
		[
			'a long collaborator',
			{ exclusive: { collaborators: ['ok', 'x'.repeat(129)] } },
			'Collaborators row 2',
		],
		['a media row that is null', { mediaUrls: [null] }, 'Media row 1 is empty'],
		[
			'a media object without a URL',
			{ mediaUrls: [{ url: undefined }, { url: 'https://a.example/1.jpg' }] },
			'Media row 1 is empty',
		],
		['a function as media URL', { mediaUrls: [() => 1] }, 'Media row 1 (function) is not text'],
		['NaN as text', { text: NaN }, 'Text is not a finite number'],
		[
			'a collaborator without a name',
			{ exclusive: { collaborators: ['@'] } },
			'Collaborators row 1 is empty',
		],
		[
			'a trial row without a Graduation',
			{ exclusive: { trialSettings: { setting: [{ graduationStrategy: '' }] } } },
			'Trial Settings row 1 has no Graduation',
		],
		['a long location', { exclusive: { locationId: 'x'.repeat(129) } }, 'Location ID is longer'],
		[
			'a Boolean written as a word',
			{ exclusive: { autoFitImage: 'yes' } },
			'Auto-Fit Image must be true',
		],
		[
			'trial settings that are a JSON object',
			{ exclusive: { trialSettingsJson: '{}' } },
			'Trial Settings (JSON) is not a list',
		],
		[
			'trial settings given both as rows and as JSON',
			{
				exclusive: {
					trialSettings: { setting: [{ graduationStrategy: 'MANUAL' }] },
					trialSettingsJson: '[{}]',
				},
			},
			'Trial Settings are given both as rows and as JSON',
		],
		[
			'trial settings that are not rows',
			{ exclusive: { trialSettings: [{ graduationStrategy: 'MANUAL' }] } },
			'Trial Settings is not a list of rows',
		],
		[
			'a trial row with an unknown field',
			{ exclusive: { trialSettings: { setting: [{ graduationStrategy: 'MANUAL', days: 3 }] } } },
			"Trial Settings row 1 contains 'days'",
		],
		['a collection that is text', { exclusive: 'altText' }, 'Platform Options is not an object'],
		['a collection that is a list', { exclusive: '[]' }, 'Platform Options is not an object'],
		[
			'a collection that is a number',
			{ additionalFields: 7 },
			'Additional Fields is not an object',
		],
		[
			'a collection with unknown entries',
			{ exclusive: { alt_text: 'A' } },
			"Platform Options contains 'alt_text', which is not one of its fields (altText, autoCropImage,",
		],
		[
			'an additional field that JSON cannot represent',
			{ additionalFields: { additionalBodyFields: { price: Infinity } } },
			"Other Fields (JSON) contains 'price', which is Infinity",
		],
		[
			'an additional option with lost digits',
			{ exclusive: { additionalExclusiveOptions: { ref: 2 ** 53 } } },
			"Other Options (JSON) contains 'ref', a number beyond 2^53, which may have lost digits",
		],
		[
			'a circular object',
			{ additionalFields: { additionalBodyFields: circular } },
			'Other Fields (JSON) contains itself',
		],
		[
			'a trial setting that JSON cannot represent',
			{ exclusive: { trialSettingsJson: [{ days: NaN }] } },
			"Trial Settings (JSON) contains 'days', which is NaN",
		],
		[
			'a circular object as media URL',
			{ mediaUrls: [circular] },
			'Media row 1 (object) is neither a link nor a file',
		],
		[
			'a list that contains itself',
			{ mediaUrls: listInItself },
			'Media row 1 (object) is a list inside a list; return one list',
		],
		[
			'very deeply nested lists',
			{ mediaUrls: '['.repeat(50_000) + ']'.repeat(50_000) },
			'Media row 1 (object) is a list inside a list; return one list',
		],
		['NaN as media URL', { mediaUrls: [NaN] }, 'Media row 1 (NaN) is not a finite number'],
		[
			'a Graduation that is not text',
			{ exclusive: { trialSettings: { setting: [{ graduationStrategy: false }] } } },
			'Trial Settings row 1 has a Graduation that is not text',
		],
		['a number as media URL', { mediaUrls: [5] }, 'Media row 1 (5) is not a valid link'],
		[
			'a number with lost digits as media URL',
			{ mediaUrls: [2 ** 60] },
			'has lost some of its digits',
		],
		[
			'a number as cover URL',
			{ additionalFields: { videoCoverImageUrl: 5 } },
			'is not a valid link',
		],
		['invalid JSON', { additionalFields: { additionalBodyFields: '{' } }, 'is not a JSON object'],
		[
			'a JSON list instead of an object',
			{ exclusive: { additionalExclusiveOptions: '[]' } },
			'is not a JSON object',
		],
		[
			'a known field among the additional fields',
			{ additionalFields: { additionalBodyFields: '{"title":"x"}' } },
			"contains 'title', which has its own field",
		],
		[
			"'exclusive' among the additional fields",
			{ additionalFields: { additionalBodyFields: '{"exclusive":{}}' } },
			"contains 'exclusive'",
		],
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
		[
			'a compact date as a number',
			{ publishTime: 'at', publishAt: 2026123118 },
			'Publish At (2026123118) is not a date',
		],
	])('reports %s', (_, parameters, expected) => {
		expect(problemsOf(parameters)).toEqual([expect.stringContaining(expected)]);
	});

	test('reports each media URL with its row and without its query and its login', () => {
		expect(
			problemsOf({
				mediaUrls: [
					'https://a.example/ok.jpg',
					'ftp://user:hidden@a.example/b.jpg',
					'https://a.example/two https://b.example/in-one',
					`https://a.example/${'x'.repeat(1000)}?key=hidden`,
					{ src: 'https://a.example/c.jpg' },
					'https://user:hid@den@a.example/d e.jpg',
					'https://user:hid/den@a.example/e.jpg',
					'https:\\\\user:hidden@a.example\\f g',
				],
			}),
		).toEqual([
			expect.stringMatching(/^Media row 2 \(ftp:\/\/…@a\.example\/b\.jpg\) is not a valid link/),
			expect.stringMatching(/^Media row 3 .* contain no spaces$/),
			expect.stringMatching(/^Media row 4 \((?!.*hidden).*\) is longer than 1000 characters$/),
			expect.stringMatching(
				/^Media row 5 .* is neither a link nor a file; enter for example \{\{ \$json\.url \}\}/,
			),
			expect.stringMatching(/^Media row 6 \(https:\/\/…@a\.example\/d e\.jpg\) is not a valid/),
			expect.stringMatching(/^Media row 7 \(https:\/\/…@a\.example\/e\.jpg\) is not a valid/),
			expect.stringMatching(/^Media row 8 \(https:\\\\…@a\.example\\f g\) is not a valid/),
		]);
	});

	test('counts the rows as they are in the panel, with empty rows and rows of several entries', () => {
		const links = ['https://a.example/1.jpg', 'https://a.example/2.jpg'];
		const long = 'x'.repeat(129);
		const found = prepare({
			mediaUrls: [[...links, 'x/1'], 'x/2', `${links[0]}\nx/3`, [[links[0]], 'x/4'], [], ''],
			exclusive: { collaborators: ['', 'anna', ['', long], `ben\n${long}`, '', long, '@'] },
		});
		expect(found.problems.map(({ message }) => message.split(') ')[0])).toEqual([
			...['row 1, entry 3 (x/1', 'row 2 (x/2', 'row 3, entry 2 (x/3'],
			...['row 4, entry 1 (["https://a.example/1.jpg"]', 'row 4, entry 2 (x/4'],
			expect.stringMatching(/^row 6 is empty, or its expression/),
			...[3, 4].map((row) => expect.stringContaining(`row ${row}, entry 2 (xxx`)),
			expect.stringMatching(/^row 6 \(xxx/),
			expect.stringMatching(/^row 7 is empty$/),
		]);
		expect(found.links.map(({ place }) => place.split(' (')[0])).toEqual([
			...['row 1, entry 1', 'row 1, entry 2', 'row 1, entry 3', 'row 2'],
			...['row 3, entry 1', 'row 3, entry 2', 'row 4, entry 2', 'row 6'],
		]);
		const empty = prepare({ exclusive: { collaborators: ['', ['anna', null], ''] } });
		expect(empty.warnings().filter(({ field }) => field === 'Collaborators')).toMatchObject([
			...['row 1 ', 'row 2, entry 2 ', 'row 3 '].map((row) => ({
				message: `${row}is empty; it is not sent`,
			})),
		]);
	});

	test('reports the first ten rows of a list and the number of the others', () => {
		const wide: unknown[] = [];
		wide.push(...Array.from({ length: 1_000 }, () => wide));
		for (const mediaUrls of [wide, Array.from({ length: 1_000 }, () => 'x')]) {
			const reported = problemsOf({ mediaUrls });
			expect(reported).toHaveLength(11);
			expect(reported[9]).toMatch(/^Media row 10 /);
			expect(reported[10]).toBe('Media has 990 more rows that cannot be sent');
		}
	});

	test('reports every problem of the item at once', () => {
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

	test('reports a time in the past, with the time that was understood', () => {
		expect(problemsOf({ publishTime: 'at', publishAt: '2026-11-21T12:30:00' })).toEqual([
			"Publish At is in the past: it was understood as 2026-11-21T12:30:00+01:00; the workflow's time zone is Europe/Berlin",
		]);
		expect(problemsOf({ publishTime: 'at', publishAt: '2026-11-21T13:00:01' })).toEqual([]);
	});

	test('lets pastTime report a time that passes before the post is sent', () => {
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

	test('accepts 255 characters outside the basic plane', () => {
		expect(problemsOf({ additionalFields: { title: '😀'.repeat(255) } })).toEqual([]);
	});
});

describe('preparePost with an unknown time zone', () => {
	const unknownZone = { timezone: 'Mars/Phobos' };
	const at = (publishAt: unknown) => prepare({ publishTime: 'at', publishAt }, unknownZone);

	test('names the time zone when a time has no offset', () => {
		expect(at('2026-12-31T18:00').problems).toEqual([
			{
				field: 'Publish At',
				message:
					"(2026-12-31T18:00) has no offset, and the workflow's time zone 'Mars/Phobos' is not known; choose another in the workflow's settings, or include an offset, such as 2026-12-31T18:00:00+02:00",
			},
		]);
		expect(at('soon').problems).toMatchObject([
			{ message: expect.stringContaining('is not a date and time') },
		]);
	});

	test('accepts a time with an offset', () => {
		expect(at('2026-12-31T18:00:00+02:00')).toMatchObject({
			...{ problems: [], body: { post_date: '2026-12-31T18:00:00+02:00' } },
		});
	});
});

describe('preparePost with an expression that returns nothing', () => {
	const expression = '={{ $json.missing }}';
	const given = (raw: Record<string, unknown>, parameters: Partial<PostParameters>) => {
		const { problems, warnings, body } = prepare(
			{ mediaUrls: ['https://a.example/a.jpg'], ...parameters },
			{ raw },
		);
		const reported = (list: typeof problems) =>
			list.map(({ field, message }) => `${field} ${message}`);
		return { problems: reported(problems), warnings: reported(warnings()), body };
	};

	test.each([null, undefined])('refuses %s for Text, Content Type and Media', (value) => {
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

	const entries = {
		additionalFields: ['title', 'videoCoverImageUrl', 'additionalBodyFields'],
		exclusive: [
			...['altText', 'autoCropImage', 'autoFitImage', 'collaborators', 'locationId', 'shareToFeed'],
			...['trialSettings', 'trialSettingsJson', 'videoCoverOffset', 'additionalExclusiveOptions'],
		],
	};
	const cases = Object.entries(entries).flatMap(([name, fields]) =>
		fields.map((field) => [name, field] as const),
	);

	test.each(cases)('omits a field of %s with a warning: %s', (name, field) => {
		const { options } = postFields.find((one) => one.name === name)!;
		const { displayName } = (options as INodeProperties[]).find((one) => one.name === field)!;
		const warnings = [
			`${displayName} has an expression that returns nothing for this item; it is not sent`,
		];
		for (const nothing of [null, undefined, '']) {
			const value = { [name]: { [field]: nothing } };
			const own = { [name]: { [field]: expression } };
			expect(given(own, value)).toMatchObject({ problems: [], warnings });
			expect(given({ [name]: expression }, value)).toMatchObject({ problems: [], warnings });
			expect(given({ [name]: { [field]: '' } }, value)).toMatchObject({ warnings: [] });
		}
	});

	test.each([
		['additionalFields', 'Additional Fields'],
		['exclusive', 'Platform Options'],
	])('omits all of %s with a warning', (name, label) => {
		const warnings = [
			`${label} has an expression that returns nothing for this item; it is not sent`,
		];
		for (const nothing of [null, undefined, '']) {
			expect(given({ [name]: expression }, { [name]: nothing })).toMatchObject({
				...{ problems: [], warnings },
			});
		}
	});

	test('omits empty rows and entries with a warning', () => {
		const noCollaborators = { exclusive: { collaborators: [[]] } };
		expect(given({}, noCollaborators).warnings).toEqual([
			'Collaborators has no entry; it is not sent',
		]);
		const { problems, warnings, body } = given(
			{},
			{
				additionalFields: { additionalBodyFields: { a: undefined, b: 1 } },
				exclusive: { collaborators: [null, 'anna'], trialSettings: { setting: null } },
			},
		);
		expect(problems).toEqual([]);
		expect(warnings).toEqual([
			'Collaborators row 1 is empty; it is not sent',
			'Trial Settings has no row; it is not sent',
			"Other Fields (JSON) contains 'a', which has no value; it is not sent",
		]);
		expect(body).toMatchObject({ b: 1, exclusive: { collaborators: ['anna'] } });
	});
});

describe('preparePost: warnings', () => {
	const warningsOf = (parameters: Partial<PostParameters>) =>
		prepare({ mediaUrls: ['https://a.example/a.jpg'], ...parameters })
			.warnings()
			.map(({ field, message }) => `${field} ${message}`);
	const video = { mediaUrls: ['https://a.example/a.mp4?x=1'] };
	const reel = { contentType: 'REEL', ...video };

	test('reports none for a valid post, reel or story', () => {
		expect(warningsOf({ text: 'Hello #world' })).toEqual([]);
		expect(warningsOf({ ...reel, exclusive: { shareToFeed: true, videoCoverOffset: 1 } })).toEqual(
			[],
		);
		expect(warningsOf({ contentType: 'STORY' })).toEqual([]);
		expect(warningsOf({ ...video, exclusive: { shareToFeed: true } })).toEqual([]);
	});

	test('reports none for a field that has a problem', () => {
		expect(warningsOf({ mediaUrls: ['x'] })).toEqual([]);
	});

	test.each<[string, Partial<PostParameters>, string]>([
		[
			'a caption that is too long',
			{ text: 'x'.repeat(2201) },
			'Text is longer than 2200 characters',
		],
		['too many hashtags', { text: '#tag '.repeat(31) }, 'Text contains more than 30 hashtags'],
		[
			'a type with other capitalization',
			{ contentType: 'Reel' },
			'Content Type differs from POST, REEL or STORY only in capitalization or spaces',
		],
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
		['a PNG', { mediaUrls: ['https://a.example/a.png'] }, 'Media contains an image that is not'],
		[
			'a URL with characters outside ASCII',
			{ mediaUrls: ['https://a.example/ä.jpg'] },
			'outside ASCII',
		],
		[
			'two URLs joined by a comma',
			{ mediaUrls: ['https://a.example/1.jpg,https://a.example/2.jpg'] },
			'contains a comma followed by http',
		],
		[
			'a private host',
			{ mediaUrls: ['http://192.168.1.5/a.jpg'] },
			'that the platform cannot reach',
		],
		[
			'an alt text that is too long',
			{ exclusive: { altText: 'x'.repeat(1001) } },
			'Alt Text is longer than 1000',
		],
		['four collaborators', { exclusive: { collaborators: 'a\nb\nc\nd' } }, 'more than 3 entries'],
		[
			'collaborators in a story',
			{ contentType: 'STORY', exclusive: { collaborators: ['a'] } },
			'Collaborators is set; a story',
		],
		[
			'several usernames in one row',
			{ exclusive: { collaborators: ['anna, ben'] } },
			'one username per row',
		],
		[
			'a location in a story',
			{ contentType: 'STORY', exclusive: { locationId: 'x' } },
			'Location ID is set; a story',
		],
		[
			'Auto-Fit Image together with Auto-Crop Image',
			{ exclusive: { autoFitImage: true, autoCropImage: true } },
			'Auto-Fit Image cannot be combined with Auto-Crop Image',
		],
		[
			'Auto-Fit Image with a video',
			{ ...video, exclusive: { autoFitImage: true } },
			'Auto-Fit Image works only with',
		],
		[
			'Auto-Crop Image with a video',
			{ ...video, exclusive: { autoCropImage: true } },
			'Auto-Crop Image works only with',
		],
		[
			'Share to Feed with an image',
			{ exclusive: { shareToFeed: true } },
			'Share to Feed works only with',
		],
		[
			'trial settings without a reel',
			{ exclusive: { trialSettingsJson: '[{}]' } },
			'Trial Settings works only with',
		],
		[
			'a cover URL together with an offset',
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
	])('warns about %s', (_, parameters, expected) => {
		expect(warningsOf(parameters)).toEqual([expect.stringContaining(expected)]);
		expect(problemsOf(parameters)).toEqual([]);
	});
});
