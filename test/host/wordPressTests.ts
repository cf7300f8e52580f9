import type { Execution } from '../n8n/rest';
import { ExampleFlow, fault, pictureUrl, posts, publish, texts } from './exampleFlow';
import { outputOf } from './postFlow';
import { WordPress, type WordPressArticle, wordPressDate } from './wordpress/site';

/** The site, which runs from before the first test to after the last one. */
let site: WordPress;
export const startSite = async () => (site = await WordPress.start());
export const stopSite = async () => await site?.stop();

const HOUR = 3_600_000;
const ago = (hours: number) => wordPressDate(Date.now() - hours * HOUR);

/** An article with a featured image. */
const article = (post_title: string, more: Partial<WordPressArticle> = {}): WordPressArticle => ({
	post_title,
	post_excerpt: '<p>Six lakes &amp; two huts</p>',
	image: 'jpeg',
	...more,
});

const articles = async (example: string) =>
	await ExampleFlow.scheduled(example, {
		'Get New Articles': { url: `${site.url}/wp-json/wp/v2/posts` },
	});

const POLL = 'Every 15 Minutes';

/** The items that passed *Newly Posted*. */
const newlyPosted = ({ runs }: Execution) => runs['Newly Posted']?.at(-1)?.data?.main[0] ?? [];

/** Tests the examples for WordPress and for feeds with a real site. */
export function testWordPress(): void {
	describe('The example for WordPress', () => {
		it('posts each public article with an image once, and fails for an image that is not shown', async () => {
			const tags_input = ['Kaffee & Kuchen', 'self-hosting'];
			const given = [
				article('Blog: Tom &amp; <em>Jerry</em>', { tags_input, post_name: 'tom' }),
				article('Blog: no image', { image: undefined }),
				article('Blog: password', { post_password: 'secret' }),
				article('Blog: draft', { post_status: 'draft' }),
				article('Blog: scheduled', { post_status: 'future', post_date: ago(-1) }),
				article('Blog: hidden image', { image: 'in a draft' }),
				article('Blog: old', { post_date: ago(72) }),
			];
			const [ID] = await site.save(...given);
			const flow = await articles('wordpress-to-post');
			const first = await flow.fails(POLL, /'Media'/);
			expect(newlyPosted(first)).toHaveLength(1);
			expect(texts('Blog')).toEqual([
				`Blog: Tom & Jerry\n\nSix lakes & two huts\n\n${site.url}/tom/\n\n#KaffeeKuchen #selfhosting`,
			]);
			expect(posts('Blog')[0]!.request).toMatchObject({ exclusive: { alt_text: 'A “lake”' } });
			await site.save(article('Blog: updated', { ID }));
			const second = await flow.run(POLL);
			expect(outputOf(second, 'Create Post')).toMatchObject([{ skipped: true, key: String(ID) }]);
			expect(newlyPosted(second)).toEqual([]);
		});

		it('posts all articles of a weekend, oldest first', async () => {
			const titles = ['Weekend 3', 'Weekend 2', 'Weekend 1'];
			await site.save(
				...titles.map((title, index) => article(title, { post_date: ago(30 - index) })),
			);
			await (await articles('wordpress-to-post')).run(POLL);
			expect(texts('Weekend').map((text) => text.split('\n')[0])).toEqual(titles);
		});

		it('converts WebP images to JPEG in its other version, and posts the others if one is broken', async () => {
			await site.save(
				article('WebP: deleted', { image: 'deleted' }),
				article('WebP: hidden', { image: 'in a draft' }),
				article('WebP: good', { image: 'webp' }),
			);
			const flow = await articles('wordpress-webp-to-post');
			const execution = await flow.fails(POLL, /not return an image|empty buffer/);
			expect(newlyPosted(execution)).toHaveLength(1);
			await publish();
			expect(posts('WebP')).toMatchObject([
				{ status: 'published', media: [{ type: 'image/jpeg' }] },
			]);
		});
	});

	describe.each([
		['RSS', 'feed/'],
		['Atom', 'feed/atom/'],
	])('The example for a feed, with %s', (format, path) => {
		it('posts each new entry with a picture once, and refused ones again', async () => {
			const entry = (
				title: string,
				post_content: string,
				more: Partial<WordPressArticle> = {},
			) => ({
				...{ post_title: `${format}: ${title}`, post_content, post_name: title.split(' ')[0]! },
				...more,
			});
			const image = (more = '') => `<img ${more} src="${pictureUrl()}?a=1&amp;b=2" width="1200">`;
			const enclosure = (address: string, type = '') => ({
				meta_input: { enclosure: `${address}\n1\n${type}` },
			});
			const saved = async (...more: WordPressArticle[]) =>
				await site.save(
					...more,
					entry('emoji', 'Fun 😀'),
					entry('pixel', `<img src="${pictureUrl()}" width="1" height="1">`),
					entry('avatar', `<img class="avatar avatar-96" src="${pictureUrl()}" width="96">`),
					entry('placeholder', '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'),
					entry('future', image(), { post_date: ago(-30) }),
					entry('old', image(), { post_date: ago(72) }),
				);
			const [ID] = await saved(
				entry('Tom &amp; Jerry', `Fun 😀 ${image()}`),
				entry(
					'Use &lt;style&gt; and &lt;script&gt; well',
					image(`data-src="${pictureUrl('lazy.jpg')}"`),
				),
				entry('podcast', image(), enclosure(`${site.url}/a.mp3`)),
				entry('enclosure', '', enclosure(pictureUrl('enclosure.jpg'))),
			);
			fault(`${format}: Tom`, 'refused');
			const parameters = { 'Read the Feed': { url: `${site.url}/${path}` } };
			const flow = await ExampleFlow.scheduled('rss-feed-to-post', parameters);
			const POLL = 'Every 30 Minutes';
			const first = await flow.fails(POLL, /refused/);
			// n8n does not read the enclosures of Atom.
			const more = format === 'RSS' ? [{ text: 'enclosure', media: 'enclosure.jpg' }] : [];
			expect(newlyPosted(first)).toHaveLength(2 + more.length);
			expect(newlyPosted(await flow.run(POLL))).toHaveLength(1);
			await saved(entry('Tom &amp; Jerry', image(), { ID, post_name: 'corrected' }));
			expect(newlyPosted(await flow.run(POLL))).toEqual([]);
			const sent = posts(`${format}: `).map(
				({ request }) => request as { text: string; media_urls: string[] },
			);
			expect(
				sent.map(({ text, media_urls }) => ({
					text: text.slice(format.length + 2),
					media: media_urls[0]!.split('/media/')[1],
				})),
			).toEqual([
				...more.map(({ text, media }) => ({ text: `${text}\n\n${site.url}/${text}/`, media })),
				{ text: `podcast\n\n${site.url}/podcast/`, media: 'lake.jpg?a=1&b=2' },
				{ text: `Use <style> and <script> well\n\n${site.url}/use/`, media: 'lazy.jpg' },
				{ text: `Tom & Jerry\n\n${site.url}/tom/`, media: 'lake.jpg?a=1&b=2' },
			]);
		});
	});
}
