import { jsonOf } from '../harness/manyPosts';
import { usePosts } from './postSetup';

const { platform } = usePosts();

interface Checked {
	problems?: object[];
	warnings?: object[];
	request_body: Record<string, unknown>;
}

/** Validates a post, and returns its issues and warnings as text. */
async function validate(parameters: object) {
	const fields = { operation: 'validate', mediaUrls: [], options: { checkMedia: false } };
	const [json] = jsonOf(await platform.run({ ...fields, ...parameters })) as unknown as [Checked];
	const describe = (list: object[] = []) => list.map((issue) => Object.values(issue).join(' '));
	return { ...json, problems: describe(json.problems), warnings: describe(json.warnings) };
}

const LONG = 'a'.repeat(200_001);
const picture = 'https://cdn.example/a.jpg';
const media = (link: string) => ({ mediaUrls: [link] });
const option = (postOptions: object) => ({ postOptions });
const at = (publishAt: string) => ({ publishTime: 'at', publishAt });
const inDays = (days: number) => at(new Date(Date.now() + days * 86_400_000).toISOString());

describe('Validate refuses', () => {
	test.each<[string, object, string]>([
		['a long text', { text: LONG }, 'Text is longer than 200000 characters'],
		[
			'long JSON',
			option({ additionalBodyFields: `{"a":"${LONG}"}` }),
			'Other Fields (JSON) is longer than 200000',
		],
		[
			'a long hashtag of a list',
			option({ hashtags: `={{ ["${'b'.repeat(1001)}"] }}` }),
			'is longer than 1000 characters',
		],
		['neither text nor media', { text: '' }, 'Media is empty, and so is the text'],
		['braces in a text', { text: 'Hi {{ $json.name }}' }, 'Text is text, not an expression'],
		['two links in a row', media(`${picture}, ${picture}`), 'one per row'],
		['a page', media('https://www.instagram.com/p/abc/'), 'is a web page; download'],
		['the current time', at('={{ $now }}'), "to publish now, set 'Publish Time' to Now"],
	])('%s', async (_, parameters, expected) => {
		const { problems } = await validate(parameters);
		expect(problems).toStrictEqual([expect.stringContaining(expected)]);
	});
});

test('Validate accepts a post that has only Other Fields', async () => {
	const only = option({ additionalBodyFields: '{"a":1}' });
	expect((await validate({ text: '', ...only })).problems).toStrictEqual([]);
});

describe('Validate warns of', () => {
	const now = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
	const hourLong = `${picture}?X-Amz-Date=${now}&X-Amz-Expires=3600`;

	test.each<[string, object, string]>([
		['a far time', inDays(400), 'more than a year ahead'],
		['a link that expires before the post', { ...media(hourLong), ...inDays(1) }, 'expires before'],
		['an expired link', media(`${picture}?se=2020-01-01T00:00:00Z&sig=x`), 'expires before'],
	])('%s', async (_, parameters, expected) => {
		const { problems, warnings } = await validate(parameters);
		expect(problems).toStrictEqual([]);
		expect(warnings).toContainEqual(expect.stringContaining(expected));
	});

	test.each([hourLong, `${picture}?se=5`])('no link like %s', async (link) => {
		expect((await validate(media(link))).warnings.join()).not.toContain('expires');
	});
});

test.each(['\u200bacc_1\u200e', ' \ufeffacc_1 '])(
	'Invisible characters around an account are removed: %j',
	async (socialAccountId) => {
		expect((await validate({ socialAccountId })).request_body.social_account_id).toBe('acc_1');
	},
);

test.each(['&amp;', '&#038;'])('An encoded ampersand in a link is decoded: %s', async (and) => {
	const { request_body } = await validate(media(`\u200b${picture}?a=1${and}b=2\u200b`));
	expect(request_body.media_urls).toStrictEqual([`${picture}?a=1&b=2`]);
});

test('Spaces around the App ID are named when it is refused', async () => {
	platform.credential.appId = `${platform.credential.appId as string}\u200b`;
	const { error } = await platform.run();
	expect(`${error!.message} ${error!.description}`).toMatch(
		/App ID begins or ends with a space, a line break or an invisible character/,
	);
});
