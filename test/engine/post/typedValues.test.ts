import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

interface Checked {
	valid: boolean;
	problems?: unknown[];
	warnings?: unknown[];
	request_body: Record<string, unknown>;
}

/** Validates a post, and returns its issues and warnings as text. */
async function validate(parameters: object) {
	const fields = { operation: 'validate', mediaUrls: [], options: { checkMedia: false } };
	const [json] = jsonOf(await platform.run({ ...fields, ...parameters })) as unknown as [Checked];
	const textsOf = (list: unknown[] = []) =>
		list.map((issue) => Object.values(issue as object).join(' '));
	const [problems, warnings] = [textsOf(json.problems), textsOf(json.warnings)] as const;
	return { ...json, problems, warnings };
}

const LONG = 'a'.repeat(200_001);
const picture = 'https://cdn.example/a.jpg';
const media = (link: string) => ({ mediaUrls: [link] });
const at = (publishAt: string) => ({ publishTime: 'at', publishAt });
const day = 86_400_000;

describe('Validate refuses', () => {
	test.each<[string, object, string]>([
		['a long text', { text: LONG }, 'Text is longer than 200000 characters'],
		['a long alt text', { postOptions: { altText: LONG } }, 'Alt Text is longer than 200000'],
		['long hashtags', { postOptions: { hashtags: LONG } }, 'Hashtags is longer than 200000'],
		[
			'long JSON',
			{ postOptions: { additionalBodyFields: `{"a":"${LONG}"}` } },
			'Other Fields (JSON) is longer than 200000',
		],
		[
			'a long hashtag of a list',
			{ postOptions: { hashtags: `={{ [${JSON.stringify('b'.repeat(1001))}] }}` } },
			'is longer than 1000 characters',
		],
		['neither text nor media', { text: '' }, 'Media is empty, and so is the text'],
		['braces in a text', { text: 'Hi {{ $json.name }}' }, 'Text is text, not an expression'],
		['braces in a title', { postOptions: { title: '{{ $json.a }}' } }, 'Title is text, not an'],
		['an object as text', { text: '=New: {{ ({}) }}' }, 'Text contains an object instead of text'],
		['two links in a row', media(`${picture}, https://cdn.example/b.jpg`), 'one per row'],
		['two links with a bar', media(`${picture}|https://cdn.example/b.jpg`), 'one per row'],
		['a link that is too long', media(picture + 'x'.repeat(1000)), 'post it as a file'],
		['a page', media('https://www.instagram.com/p/abc/'), 'is a web page; download'],
		['a video page', media('https://youtu.be/abc'), 'is a web page; download'],
		['a page of Drive', media('https://drive.google.com/u/0/file/d/x/view'), 'Google Drive page'],
		['a page of Workspace', media('https://drive.google.com/a/x.com/open?id=1'), 'Google Drive'],
		['a compact date', at('2612311800'), 'is not a date and time'],
		['the current time', at('={{ $now }}'), "to publish now, set 'Publish Time' to Now"],
	])('%s', async (_, parameters, expected) => {
		const { problems } = await validate(parameters);
		expect(problems).toStrictEqual([expect.stringContaining(expected)]);
	});
});

test.each([
	'user:hidden@cdn.example/a.jpg',
	'ftp:user:hidden@cdn.example/a.jpg',
	'https://user:hidden@cdn.example/a b.jpg',
	'https://user:hid/den@cdn.example/a.jpg',
])('The password in a link is not shown: %s', async (link) => {
	const { problems } = await validate(media(link));
	expect(problems).toStrictEqual([expect.not.stringMatching(/hid/)]);
});

test('The host of a link with @ in its path is shown', async () => {
	const { problems } = await validate(media('https://medium.com/@user/a b.jpg'));
	expect(problems).toStrictEqual([expect.stringContaining('(https://medium.com/@user/a b.jpg)')]);
});

describe('Validate warns of', () => {
	const amz = (seconds: number) =>
		`${picture}?X-Amz-Date=${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}&X-Amz-Expires=${seconds}`;

	test.each<[string, object, string]>([
		['a long caption', { text: 'a '.repeat(1200) }, "the option 'Shorten Text'"],
		['a far time', at(new Date(Date.now() + 400 * day).toISOString()), 'more than a year ahead'],
		[
			'a link that expires before the post',
			{ ...media(amz(3600)), ...at(new Date(Date.now() + day).toISOString()) },
			'expires before',
		],
		['an expired link', media(`${picture}?se=2020-01-01T00:00:00Z&sig=x`), 'expires before'],
	])('%s', async (_, parameters, expected) => {
		const { problems, warnings } = await validate(parameters);
		expect(problems).toStrictEqual([]);
		expect(warnings).toContainEqual(expect.stringContaining(expected));
	});

	test.each([amz(3600), `${picture}?se=5`])('no link like %s', async (link) => {
		expect((await validate(media(link))).warnings.join()).not.toContain('expires');
	});
});

test.each(['\u200bacc_1', 'acc_1\u200e', ' \ufeffacc_1 '])(
	'Invisible characters around an account are removed: %j',
	async (socialAccountId) => {
		expect((await validate({ socialAccountId })).request_body.social_account_id).toBe('acc_1');
	},
);

test.each([
	['&amp;', '?a=1&amp;b=2'],
	['&#038;', '?a=1&#038;b=2'],
])('An encoded ampersand in a link is decoded: %s', async (_, query) => {
	const { request_body } = await validate(media(`\u200b${picture}${query}\u200b`));
	expect(request_body.media_urls).toStrictEqual([`${picture}?a=1&b=2`]);
});

test('Keys that look the same are one key', async () => {
	const send = async (key: string) =>
		jsonOf(await platform.run({ options: { oncePerKey: key } }, { workflowId: 'same-keys' }));
	expect(await send('Café')).toMatchObject([{ status: 'processing' }]);
	expect(await send(' Cafe\u0301 ')).toMatchObject([{ skipped: true, key: 'Café' }]);
});

test('An unknown outcome names the account and the local time', async () => {
	Object.assign(platform.credential, {
		accounts: { account: [{ name: 'Harbour Café', id: 'acc_1' }] },
	});
	platform.emulator.fault({ kind: 'reset-after', operation: 'createPost' });
	const { error } = await platform.run({}, { timezone: 'Asia/Tokyo' });
	expect(error!.description).toMatch(
		/^It was sent on \d+ \w+ \d{4}, \d\d:\d\d \(Asia\/Tokyo\)\. Check on the platform whether account “Harbour Café” \(acc_1\) has /,
	);
});

test.each(['appId', 'appSecret'])(
	'Spaces around %s are named when it is refused',
	async (field) => {
		Object.assign(platform.credential, {
			[field]: `${platform.credential[field] as string}\u200b`,
		});
		const { error } = await platform.run();
		expect(`${error!.message} ${error!.description}`).toMatch(
			/App (ID|Secret) begins or ends with a space, a line break or an invisible character/,
		);
	},
);
