import { ExampleFlow, outputOf } from './exampleFlow';
import { sampleArticle } from '../n8n/article';
import type { ActiveWorkflow } from '../n8n/examples';
import { type Item, until } from './postFlow';
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
export function testArticles(setup: () => Setup, wordPress: () => ActiveWorkflow): void {
	describe('the example for WordPress', () => {
		/** Announces an article, and returns the status and the body of the response. */
		const announced = async (id: number, more: Item = {}): Promise<[number, unknown]> => {
			const { post } = sampleArticle(setup().emulator.url, new Date());
			const response = await postJson(wordPress().url, { post: { ...post, ID: id, ...more } });
			return [response.status, await response.json()];
		};
		/** Announces an article whose execution fails. */
		const failed = async (...about: Parameters<typeof announced>) => {
			const newest = async () => (await setup().rest.executionIds(wordPress().id))[0];
			const before = await newest();
			const response = await announced(...about);
			let id: string | undefined;
			await until(async () => (id = await newest()) !== undefined && id !== before);
			return { response, ...(await setup().rest.finished(id!)) };
		};

		it('posts an article only once when it is announced twice', async () => {
			const [first, record] = await announced(471_101);
			expect([first, record]).toMatchObject([200, { posted: true, status: 'processing' }]);
			const posts = setup().emulator.posts.length;
			const [second, skipped] = await announced(471_101);
			expect([second, skipped]).toMatchObject([
				200,
				{ posted: true, skipped: true, key: '471101' },
			]);
			expect(setup().emulator.posts).toHaveLength(posts);
		});

		it('responds with the reason alone if an article was not posted, and fails', async () => {
			const { response, status, error } = await failed(471_104, { featured_image: '' });
			const reason = expect.stringContaining("'Media'") as string;
			expect(response).toEqual([422, { posted: false, reason }]);
			expect({ status, message: error?.message }).toEqual({ status: 'error', message: reason });
		});

		it('responds with another status if it is not known whether an article was posted', async () => {
			const excerpt = 'Lost in the fog';
			const kind = 'server-error-after' as const;
			setup().emulator.fault({ operation: 'createPost', bodyHas: excerpt, kind });
			const reason = expect.stringMatching(/not known whether/) as string;
			const { response, status } = await failed(471_105, { post_excerpt: excerpt });
			expect([...response, status]).toEqual([502, { posted: false, reason }, 'error']);
			expect(await announced(471_105, { post_excerpt: excerpt })).toEqual([
				409,
				{ posted: false, reason: expect.stringMatching(/outcome is unknown/) as string },
			]);
			expect(texts(setup()).filter((text) => text.startsWith(excerpt))).toHaveLength(1);
		});

		it('uses the title if there is no excerpt, and writes each tag as one word', async () => {
			const article = sampleArticle(setup().emulator.url, new Date());
			const bare = { ...article.post, ID: 471_102, post_excerpt: '' };
			const announce = async (post: Item) => {
				await postJson(wordPress().url, { post });
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

		it('fails with the reason if an article without a picture was not posted', async () => {
			await flow.send('Article Published', ghostArticle('g2', { feature_image: null }));
			const [execution] = await flow.ended('Not Posted', 1);
			expect(execution).toMatchObject({
				status: 'error',
				error: { message: expect.stringContaining("'Media'") as string },
			});
		});
	});
}
