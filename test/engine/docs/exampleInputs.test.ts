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
	const given = { ...parametersOf(example, name), socialAccountId: 'acc_1' } as IDataObject;
	return await platform.run(given, { items: [json] });
}

const media = 'https://cdn.example/a.jpg';
const link = 'https://b.example/1';

/** An item that each example can post. */
const inputs = {
	cms: { ID: 1, post_title: 'Lakes', featured_image: media, permalink: link },
	ghost: { id: 'g1', title: 'Lakes', feature_image: media, url: link },
	rss: { title: 'Lakes', link, guid: 'r1', picture: media },
};
const files = {
	...{ cms: 'cms-publish-to-post', ghost: 'ghost-published-to-post', rss: 'rss-feed-to-post' },
};
type Example = keyof typeof inputs;

const post = async (example: Example, more: IDataObject) =>
	await runNode(files[example], 'Create Post', { ...inputs[example], ...more });

const tagged = `Lakes\n\n${link}\n\n#BigLakes #huts`;

test.each<[Example, string, IDataObject, string]>([
	...(['cms', 'ghost'] as const).flatMap(
		(example): Array<[Example, string, IDataObject, string]> => [
			[
				example,
				'with tags as objects',
				{ tags: [{ name: 'Big Lakes' }, { name: 'huts' }] },
				tagged,
			],
			[example, 'with tags as text', { tags: 'Big Lakes, huts' }, tagged],
			[example, 'with empty tags', { tags: ['Big Lakes', null, {}, '', 'huts'] }, tagged],
		],
	),
	['cms', 'without a title', { post_title: null }, link],
	['cms', 'without a link', { permalink: undefined }, 'Lakes'],
	['ghost', 'without a title', { title: undefined }, link],
	['rss', 'without text in its title', { title: { $: { type: 'html' } } }, link],
	['rss', 'without GUID and link', { guid: { $: {} }, link: '' }, 'Lakes'],
])('The example %s posts an entry %s', async (example, _, more, text) => {
	await post(example, more);
	expect(platform.emulator.posts[0]!.request).toMatchObject({ text });
});

test.each<[Example, IDataObject, string]>([
	['cms', {}, '1'],
	['cms', { id: 7 }, '7'],
	['cms', { id: 8, documentId: 'd1' }, 'd1'],
	['rss', { guid: 'https://b.example/?p=1' }, '//b.example/?p=1'],
	['rss', { guid: undefined, id: 'tag:b.example,2026:1' }, 'tag:b.example,2026:1'],
])('The example %s recognizes an article like %j by its identity', async (example, more, key) => {
	const { outputs } = await post(example, more);
	expect(outputs[0]![0]!.json).toMatchObject({ key });
});

test.each<[Example, string, IDataObject, string]>([
	['cms', 'an ID', { ID: null }, "'Deduplication Key'"],
	['ghost', 'a picture', { feature_image: null }, "'Media'"],
	['ghost', 'a text', { title: {}, url: null }, "'Text'"],
	['rss', 'a text', { title: '', link: undefined }, "'Text'"],
	['rss', 'a key', { guid: '', link: '', title: '', contentSnippet: 'x' }, 'Key'],
])('The example %s posts nothing without %s', async (example, _, more, field) => {
	expect((await post(example, more)).error?.message).toContain(field);
	expect(platform.emulator.posts).toEqual([]);
});

test.each(['rss-feed-to-post', 'wordpress-to-post', 'wordpress-webp-to-post'])(
	'Newly Posted of the example %s keeps no post that was skipped or only validated',
	(example) => {
		const parameters = JSON.stringify(parametersOf(example, 'Newly Posted'));
		const [, condition] = /"={{ (.*?) }}"/.exec(parameters)!;
		const outputs = [{ action_sn: 'SA1' }, { skipped: true }, { valid: true, summary: 'Ready' }];
		const kept = outputs.filter(($json) => runInNewContext(condition!, { $json }) as boolean);
		expect(kept).toEqual([{ action_sn: 'SA1' }]);
	},
);

test.each([
	['rss-feed-to-post', { title: 'Lakes', picture: media }],
	['wordpress-to-post', { title: { rendered: 'Lakes' }, excerpt: {}, link }],
])(
	'The example %s posts nothing if a run finds more than 50 articles',
	async (example, article) => {
		const given = { ...parametersOf(example, 'Create Post'), socialAccountId: 'acc_1' };
		const items = Array.from({ length: 51 }, (_, id) => ({ ...article, id, guid: String(id) }));
		const { error } = await platform.run(given, { items });
		expect(error?.message).toBe("'Max Posts per Run' is 50, but 51 posts are to be sent");
		expect(platform.emulator.posts).toEqual([]);
	},
);
