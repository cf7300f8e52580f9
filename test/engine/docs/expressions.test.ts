import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { samples } from '../../unit/post/mediaSamples';
import { runAgent } from '../harness/agentRun';
import { FileHost } from '../harness/fileHost';
import { usePlatform } from '../harness/platform';
import { pages } from './pages';

/** The expressions that the documents tell users to enter, with and without braces. */
const expressions = [
	...new Set(
		[...pages.values()].flatMap((page) => [
			...[...page.matchAll(/\{\{.*?\}\}/g)].map(([expression]) => expression),
			...[...page.matchAll(/`(\$json\.[^`]+)`/g)].map(([, code]) => `{{ ${code!} }}`),
		]),
	),
];
const asked = expressions.filter((expression) => expression.includes('$fromAI('));

/** The nodes to which the documents refer are the input in these tests. */
const onInput = (expression: string) =>
	`=${expression.replace(/\$\('.*?'\)/, "$('Items 0')").replace('…', 'cdn.example')}`;

const platform = usePlatform();

/** Returns the value of an expression within a text. */
async function textOf(expression: string, item: IDataObject = {}): Promise<string> {
	await platform.run({ text: `=Said: ${onInput(expression).slice(1)}` }, { items: [item] });
	const { text } = platform.emulator.posts[0]!.request as { text: string };
	return text.replace('Said: ', '');
}

const picture = 'https://cdn.example/a.jpg';

/** The text that each expression returns for an item. */
const texts: Array<[expression: string, item: IDataObject, text: string]> = [
	["{{ $json.text ?? '' }}", { text: 'Hello' }, 'Hello'],
	["{{ $json.text ?? '' }}", {}, ''],
	['{{ $json.id }}', { id: '1a' }, '1a'],
	['{{ $json.account }}', { account: 'acc_2' }, 'acc_2'],
	['{{ $json.toolParameters.text }}', { toolParameters: { text: 'Hello' } }, 'Hello'],
	["{{ $('Form').first().json.text }}", { text: 'Hello' }, 'Hello'],
	["{{ $('Node').first().json.account }}", { account: 'acc_2' }, 'acc_2'],
	["{{ $('Edit Fields').first().json.account }}", { account: 'acc_2' }, 'acc_2'],
	['{{ $json.data?.approved === true }}', { data: { approved: true } }, 'true'],
	['{{ $json.data?.approved === true }}', {}, 'false'],
	["{{ $json.data?.Decision === 'Publish' }}", { data: { Decision: 'Publish' } }, 'true'],
	['{{ $json.title.rendered }}', { title: { rendered: 'Lakes' } }, 'Lakes'],
	['{{ $json.link }}', { link: picture }, picture],
	['{{ $json.valid }}', { valid: false }, 'false'],
	['{{ $json.problems ?? [] }}', { problems: ['too long'] }, 'too long'],
	['{{ $json.problems ?? [] }}', {}, ''],
];

const LINK = expect.stringContaining('/rest/binary-data/signed?token=') as string;

/** The media that each expression returns for an item with the files `data`, `photo` and `cover`. */
const media: Array<[expression: string, mediaUrls: string[]]> = [
	['{{ $binary.data }}', [LINK]],
	['{{ $binary.cover }}', [LINK]],
	['{{ Object.values($binary) }}', [LINK, LINK, LINK]],
	["{{ $('Form').item.binary.photo }}", [LINK]],
	["{{ $('Form').first().binary.data }}", [LINK]],
	["{{ [$binary.data, 'https://…/b.jpg'] }}", [LINK, 'https://cdn.example/b.jpg']],
];

/** An expression for an object that describes a file, which the node refuses. */
const REFUSED = '{{ $json.file }}';

test('The documents contain only expressions that are evaluated here', () => {
	const others = expressions.filter((expression) => !asked.includes(expression));
	const evaluated = [...texts, ...media].map(([expression]) => expression);
	expect(others.sort()).toStrictEqual([...new Set([...evaluated, REFUSED, '{{ $now }}'].sort())]);
	expect(asked).toHaveLength(5);
});

test.each(texts)('%s returns a text for %j', async (expression, item, text) => {
	expect(await textOf(expression, item)).toBe(text);
});

describe('Media', () => {
	let host: FileHost;
	let files: IBinaryKeyData;
	beforeAll(async () => {
		host = await FileHost.start();
		const data = await host.store(samples.jpeg, 'photo.jpg');
		const other = await host.store(samples.png, 'photo.png', 'image/png');
		files = { data, photo: other, cover: other };
	});
	afterAll(async () => await host.stop());

	test.each(media)('%s returns files or URLs', async (expression, mediaUrls) => {
		const { restApiUrl } = host;
		const more = { files: [files], restApiUrl };
		await platform.run({ mediaUrls: [onInput(expression)] }, more);
		expect(platform.emulator.posts[0]!.request).toMatchObject({ media_urls: mediaUrls });
	});

	test(`${REFUSED} is refused`, async () => {
		const items = [{ file: files.data as unknown as IDataObject }];
		const { error } = await platform.run({ mediaUrls: [onInput(REFUSED)] }, { items });
		expect(error?.message).toMatch(/'Media' row 1/);
		expect(platform.emulator.posts).toHaveLength(0);
	});
});

test('{{ $now }} returns the current date', async () => {
	const said = DateTime.fromISO(await textOf('{{ $now }}'));
	expect(Math.abs(said.diffNow('minutes').minutes)).toBeLessThan(5);
});

test("A tool with the expressions of the documents sends the model's arguments", async () => {
	const [text, mediaUrls, publishAt, account, oncePerKey] = asked.map(
		(expression) => `=${expression}`,
	);
	const urls = ['https://cdn.example/a.jpg', 'https://cdn.example/b.jpg'];
	Object.assign(platform.credential, {
		...{ accounts: { account: [{ name: 'Harbour', id: 'acc_1' }] }, onlyListedAccounts: true },
	});
	const post = { text: 'Hello', media_urls: JSON.stringify(urls), publish_at: '2099-12-31T18:00' };
	const [told] = await runAgent({
		platform,
		turns: [[{ ...post, account: 'Harbour', key: 'article 1' }]],
		parameters: {
			socialAccountId: { __rl: true, mode: 'id', value: account },
			...{ text, mediaUrls: [mediaUrls!], publishTime: 'at', publishAt, options: { oncePerKey } },
		},
	});
	expect(told).toMatchObject({ action_sn: expect.any(String) });
	expect(platform.emulator.posts[0]!.request).toMatchObject({
		...{ social_account_id: 'acc_1', text: 'Hello', media_urls: urls },
		post_date: '2099-12-31T18:00:00+01:00',
	});
});
