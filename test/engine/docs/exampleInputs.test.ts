import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { IDataObject, INode } from 'n8n-workflow';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();
const folder = join(__dirname, '..', '..', '..', 'examples');

function parametersOf(example: string, name: string) {
	const workflow = readFileSync(join(folder, `${example}.json`), 'utf8');
	const { nodes } = JSON.parse(workflow) as { nodes: INode[] };
	return nodes.find((node) => node.name === name)!.parameters;
}

/** Runs a node of an example with one input item. */
async function runNode(example: string, name: string, json: IDataObject) {
	const parameters = parametersOf(example, name);
	const account = { socialAccountId: 'acc_1' };
	const given = { ...parameters, ...account } as IDataObject;
	return await platform.run(given, { items: [json] });
}

const media = 'https://cdn.example/a.jpg';
const link = 'https://b.example/1';

/** An item that each example can post, with other fields. */
const inputs = {
	'cms-publish-to-post': (more: IDataObject) => ({
		...{ ID: 1, post_title: 'Lakes', featured_image: media, permalink: link, ...more },
	}),
	'ghost-published-to-post': (more: IDataObject) => ({
		...{ id: 'g1', title: 'Lakes', feature_image: media, url: link, ...more },
	}),
	'rss-feed-to-post': (more: IDataObject) => ({
		...{ title: 'Lakes', link, guid: 'r1', picture: media, ...more },
	}),
};
type Example = keyof typeof inputs;

const post = async (example: Example, more: IDataObject) =>
	(await runNode(example, 'Create Post', inputs[example](more))).error?.message;
const textOfPost = () => (platform.emulator.posts[0]?.request as IDataObject | undefined)?.text;

describe.each(['cms-publish-to-post', 'ghost-published-to-post'] as const)(
	'Tags in the example %s',
	(example) => {
		test.each([
			['texts', ['Big Lakes', 'huts']],
			['objects', [{ name: 'Big Lakes' }, { name: 'huts', id: 2 }]],
			['text with commas', 'Big Lakes, huts'],
			['mixed with empty ones', ['Big Lakes', null, {}, '', 'huts']],
		])('can be %s', async (_, tags) => {
			await post(example, { tags });
			expect(textOfPost()).toBe(`Lakes\n\n${link}\n\n#BigLakes #huts`);
		});
	},
);

test.each<[Example, string, IDataObject, string]>([
	['cms-publish-to-post', 'a title', { post_title: null }, link],
	['cms-publish-to-post', 'a link', { permalink: undefined }, 'Lakes'],
	['ghost-published-to-post', 'a title', { title: undefined }, link],
	['rss-feed-to-post', 'a title', { title: undefined }, link],
	['rss-feed-to-post', 'text in its title', { title: { $: { type: 'html' } } }, link],
	['rss-feed-to-post', 'a GUID', { guid: undefined }, `Lakes\n\n${link}`],
	['rss-feed-to-post', 'GUID and link', { guid: '', link: '' }, 'Lakes'],
	['rss-feed-to-post', 'text in its GUID', { guid: { $: {} } }, `Lakes\n\n${link}`],
])('The example %s posts an entry without %s', async (example, _, more, text) => {
	await post(example, more);
	expect(textOfPost()).toBe(text);
});

test.each<[Example, IDataObject, string]>([
	['cms-publish-to-post', {}, '1'],
	['cms-publish-to-post', { ID: undefined, id: 7 }, '7'],
	['cms-publish-to-post', { ID: undefined, id: 8, documentId: 'd1' }, 'd1'],
	['rss-feed-to-post', { guid: 'http://b.example/?p=1' }, '//b.example/?p=1'],
	['rss-feed-to-post', { guid: 'https://b.example/?p=1' }, '//b.example/?p=1'],
	['rss-feed-to-post', { guid: undefined, id: 'tag:b.example,2026:1' }, 'tag:b.example,2026:1'],
])('The example %s recognizes an article like %j by its identity', async (example, more, key) => {
	const { outputs } = await runNode(example, 'Create Post', inputs[example](more));
	expect(outputs[0]![0]!.json).toMatchObject({ key });
});

test.each<[Example, string, IDataObject, string]>([
	['cms-publish-to-post', 'a picture', { featured_image: false }, "'Media'"],
	['cms-publish-to-post', 'an ID', { ID: null }, "'Deduplication Key'"],
	['ghost-published-to-post', 'a picture', { feature_image: null }, "'Media'"],
	['ghost-published-to-post', 'an ID', { id: '' }, "'Deduplication Key'"],
	['cms-publish-to-post', 'a text', { post_title: '', permalink: ' ' }, "'Text'"],
	['ghost-published-to-post', 'a text', { title: {}, url: null }, "'Text'"],
	['rss-feed-to-post', 'a text', { title: '', link: undefined }, "'Text'"],
	['rss-feed-to-post', 'a key', { guid: '', link: '', title: '', contentSnippet: 'x' }, 'Key'],
])('The example %s posts nothing without %s', async (example, _, more, field) => {
	expect(await post(example, more)).toContain(field);
	expect(platform.emulator.posts).toEqual([]);
});

test.each([{}, { title: 'Lakes' }, { title: 'Lakes', text: ' \n' }, { text: { html: '' } }])(
	'The example ai-caption-to-post asks for no caption of the article %j',
	async (body) => {
		const { error } = await runNode('ai-caption-to-post', 'Write a Caption', { body });
		expect(error?.message).toMatch(/'Messages' contains a message without 'content'/);
		expect(platform.received('chatCompletions')).toEqual([]);
	},
);

test.each(['rss-feed-to-post', 'wordpress-to-post', 'wordpress-webp-to-post'])(
	'Newly Posted of the example %s keeps no post that was skipped or only validated',
	(example) => {
		const [, condition] = /"={{ (.*?) }}"/.exec(
			JSON.stringify(parametersOf(example, 'Newly Posted')),
		)!;
		const outputs = [{ action_sn: 'SA1' }, { skipped: true }, { valid: true, summary: 'Ready' }];
		const kept = outputs.filter(($json) => runInNewContext(condition!, { $json }) as boolean);
		expect(kept).toEqual([{ action_sn: 'SA1' }]);
	},
);
