import { ExampleFlow, outputOf } from './exampleFlow';
import { sampleArticle } from '../n8n/article';
import type { Item } from './postFlow';
import { postJson } from '../n8n/postJson';
import type { Setup } from '../n8n/setup';

type Sent = { text: string; media_urls: string[] };

/** The texts of the posts that the platform has created. */
export const texts = (setup: Setup) =>
	setup.emulator.posts.map(({ request }) => (request as Sent).text);

/** An article as Ghost announces it. */
const ghostArticle = (id: string, more: Item = {}) => ({
	post: {
		current: {
			id,
			title: 'Über den Pass',
			excerpt: `The first words of ${id}`,
			custom_excerpt: null,
			url: `https://blog.example.com/${id}/`,
			feature_image: 'https://blog.example.com/pass.jpg',
			feature_image_alt: 'A road in bends',
			tags: [{ name: 'Über Land' }, { name: '#internal' }, { name: 'Pass' }],
			status: 'published',
			...more,
		},
		previous: { status: 'draft' },
	},
});

/** Tests the examples that receive articles from WordPress and Ghost. */
export function testArticles(setup: () => Setup, wordPress: () => string): void {
	describe('the example for WordPress', () => {
		it('posts an article only once when it is announced twice', async () => {
			const article = sampleArticle(setup().emulator.url, new Date());
			article.post.ID = 471_101;
			const announce = async () => await postJson(wordPress(), article);
			expect(await (await announce()).json()).toMatchObject({ status: 'processing' });
			const posts = setup().emulator.posts.length;
			expect(await (await announce()).json()).toMatchObject({ skipped: true, key: '471101' });
			expect(setup().emulator.posts).toHaveLength(posts);
		});

		it('uses the title if there is no excerpt, and writes each tag as one word', async () => {
			const article = sampleArticle(setup().emulator.url, new Date());
			const bare = { ...article.post, ID: 471_102, post_excerpt: '' };
			const announce = async (post: Item) => {
				await postJson(wordPress(), { post });
				return texts(setup()).at(-1);
			};
			const start = `${bare.post_title}\n\n${bare.permalink}\n`;
			expect(await announce({ ...bare, tags: ['Über Land', 'lakes'] })).toBe(
				`${start}#ÜberLand #lakes`,
			);
			const { tags: _, ...untagged } = bare;
			expect(await announce({ ...untagged, ID: 471_103, post_excerpt: 'x' })).toBe(
				`x\n\n${bare.permalink}\n`,
			);
		});
	});

	describe('the example for Ghost', () => {
		let flow: ExampleFlow;
		beforeAll(async () => {
			flow = await (await ExampleFlow.of(setup(), 'ghost-published-to-post')).activate();
		});

		it('posts an article with its public tags once, however often it is announced', async () => {
			const article = ghostArticle('g1');
			for (const count of [1, 2]) {
				expect(await flow.send('Article Published', article)).toBe(200);
				await flow.ended('Posted', count);
			}
			const text = 'The first words of g1\n\nhttps://blog.example.com/g1/\n#ÜberLand #Pass';
			expect(texts(setup()).filter((one) => one.includes('g1'))).toEqual([text]);
			const [second] = await flow.ended('Posted', 2);
			expect(outputOf(second!, 'Posted')).toMatchObject([{ skipped: true, key: 'g1' }]);
		});

		it('reports why an article without a picture was not posted', async () => {
			await flow.send('Article Published', ghostArticle('g2', { feature_image: null }));
			const [execution] = await flow.ended('Not Posted', 1);
			expect(outputOf(execution!, 'Not Posted')).toMatchObject([
				{
					error: expect.stringContaining("'Media'") as string,
					details: { outcome: 'invalid' },
				},
			]);
		});
	});
}
