import { loopback } from '../loopback';
import { ExampleFlow, out } from './exampleFlow';
import { sampleArticle } from './article';
import type { Item } from './postFlow';
import type { Stage } from './stage';

/** Articles of a CMS: announced by WordPress, announced by Ghost, or found in a feed. */

type Sent = { text: string; media_urls: string[] };

const texts = (stage: Stage) => stage.emulator.posts.map(({ request }) => (request as Sent).text);

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
			tags: [{ name: 'Über Land' }, { name: '#hidden' }],
			status: 'published',
			...more,
		},
		previous: { status: 'draft' },
	},
});

const entry = (id: string, published: Date, picture?: string) => `<item>
	<title>${id}</title><link>https://blog.example.com/${id}</link><guid isPermaLink="false">${id}</guid>
	<pubDate>${published.toUTCString()}</pubDate>
	${picture ? `<enclosure url="${picture}" length="1" type="image/jpeg"/>` : ''}</item>`;

const feed = (entries: string[]) => `<?xml version="1.0"?><rss version="2.0"><channel>
	<title>Blog</title><link>https://blog.example.com</link><description>d</description>
	${entries.join('\n')}</channel></rss>`;

export function articlesAreTested(stage: () => Stage, wordPress: () => string): void {
	describe('the example for WordPress', () => {
		it('posts an article once that is announced twice', async () => {
			const article = sampleArticle(stage().emulator.url, new Date());
			article.post.ID = 471_101;
			const announce = async () =>
				await fetch(wordPress(), {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify(article),
				});
			expect(await (await announce()).json()).toMatchObject({ status: 'processing' });
			const posts = stage().emulator.posts.length;
			expect(await (await announce()).json()).toMatchObject({ skipped: true, key: '471101' });
			expect(stage().emulator.posts).toHaveLength(posts);
		});
	});

	describe('the example for Ghost', () => {
		let flow: ExampleFlow;
		beforeAll(async () => {
			flow = await (await ExampleFlow.of(stage(), 'ghost-published-to-post')).activate();
		});

		it('posts an article once, with its tags, however often it is announced', async () => {
			const article = ghostArticle('g1');
			for (const count of [1, 2]) {
				expect(await flow.send('Article Published', article)).toBe(200);
				await flow.ended('Posted', count);
			}
			const text = 'The first words of g1\n\nhttps://blog.example.com/g1/\n#ÜberLand #hidden';
			expect(texts(stage()).filter((one) => one.includes('g1'))).toEqual([text]);
			const [second] = await flow.ended('Posted', 2);
			expect(out(second!, 'Posted')).toMatchObject([{ skipped: true, key: 'g1' }]);
		});

		it('says why an article without a picture was not posted', async () => {
			await flow.send('Article Published', ghostArticle('g2', { feature_image: null }));
			const [execution] = await flow.ended('Not Posted', 1);
			expect(out(execution!, 'Not Posted')).toMatchObject([
				{
					error: expect.stringContaining('Media URLs') as string,
					details: { outcome: 'invalid' },
				},
			]);
		});
	});

	describe('the example for a feed', () => {
		const picture = 'https://blog.example.com/r.jpg';
		const now = Date.now();
		const entries = [
			entry('r-new', new Date(now - 3_600_000), picture),
			entry('r-bare', new Date(now - 3_600_000)),
			entry('r-old', new Date(now - 5 * 86_400_000), picture),
		];
		let site: Awaited<ReturnType<typeof loopback>>;
		beforeAll(async () => {
			site = await loopback((_, response) => {
				response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed(entries));
			});
		});
		afterAll(async () => await site?.stop());

		it('posts what is new and has a picture, once, and what appears later', async () => {
			const parameters = { 'Read the Feed': { url: `${site.url}/feed` } };
			const flow = await ExampleFlow.of(stage(), 'rss-feed-to-post', { parameters });
			await flow.canBeActivated();
			const posted = () => texts(stage()).filter((text) => text.startsWith('r-'));
			const run = async () => out(await flow.run('Every 30 Minutes'), 'Posted');
			expect(await run()).toMatchObject([{ status: 'processing' }]);
			expect(posted()).toEqual(['r-new\n\nhttps://blog.example.com/r-new']);
			expect(await run()).toMatchObject([{ skipped: true, key: 'r-new' }]);
			entries.unshift(entry('r-next', new Date(now), picture));
			expect(await run()).toMatchObject([{ status: 'processing' }, { skipped: true }]);
			expect(posted()).toHaveLength(2);
		});
	});
}
