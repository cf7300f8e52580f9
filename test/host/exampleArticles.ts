import { sampleArticle } from '../n8n/article';
import { loopback } from '../loopback';
import {
	ExampleFlow,
	fault,
	outputOf,
	pictureUrl,
	posts,
	publish,
	setup,
	texts,
} from './exampleFlow';
import type { Item } from './postFlow';

const START = 'Article Published';

/** A WebP image of one pixel. */
const WEBP = 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==';

/** Tests the examples that post articles of a CMS, of Ghost and of a feed, or with a caption of a model. */
export function testArticles(): void {
	describe('The example for a CMS', () => {
		let flow: ExampleFlow;
		beforeAll(async () => (flow = await ExampleFlow.active('cms-publish-to-post')));

		/** Announces an article, and returns the status and the body of the response. */
		const announce = async (ID: number, more: Item = {}): Promise<[number, unknown]> => {
			const { post } = sampleArticle(setup.emulator.url, new Date());
			const article = { ...post, post_excerpt: `Article ${ID}`, ID, ...more };
			const response = await flow.send(START, { post: article });
			return [response.status, await response.json()];
		};

		it('posts an article only once when it is announced twice', async () => {
			expect(await announce(1)).toMatchObject([200, { posted: true, status: 'processing' }]);
			expect(await announce(1)).toMatchObject([200, { posted: true, skipped: true, key: '1' }]);
			expect(texts('Article 1')).toHaveLength(1);
		});

		it('responds with the reason alone if an article was not posted, and fails', async () => {
			const reason = expect.stringContaining("'Media'") as string;
			const response = await announce(2, { featured_image: '' });
			expect(response).toEqual([422, { posted: false, reason }]);
			const [execution] = await flow.ended('Fail the Execution');
			expect(execution).toMatchObject({ status: 'error', error: { message: reason } });
		});

		it('responds with another status if it is not known whether an article was posted', async () => {
			fault('Article 3', 'server-error-after');
			const responses = [await announce(3), await announce(3)];
			const reason = expect.stringMatching(/not known whether/) as string;
			expect(responses).toEqual(Array(2).fill([409, { posted: false, reason }]));
			expect(texts('Article 3')).toHaveLength(1);
		});

		it('uses the title if there is no excerpt, and turns tags into hashtags', async () => {
			const permalink = 'https://blog.example.com/bare';
			const bare = { post_title: 'Bare', post_excerpt: '', permalink };
			await announce(4, { ...bare, tags: ['Über Land', 'lakes'] });
			await announce(5, { ...bare, tags: undefined });
			expect(texts('Bare')).toEqual([
				`Bare\n\n${permalink}\n\n#ÜberLand #lakes`,
				`Bare\n\n${permalink}`,
			]);
		});
	});

	it('The example for Ghost posts an article with its public tags, or fails with the reason', async () => {
		const flow = await ExampleFlow.active('ghost-published-to-post');
		const article = (id: string, more: Item = {}) => ({
			post: {
				current: {
					id,
					title: 'Über den Pass',
					excerpt: `Ghost ${id}`,
					url: 'https://blog.example.com/pass/',
					feature_image: pictureUrl(),
					tags: [{ name: 'Über Land' }, { name: '#internal' }, { name: 'Pass' }],
					...more,
				},
			},
		});
		await flow.send(START, article('g1'));
		expect(await flow.output('Posted')).toMatchObject({ status: 'processing' });
		await flow.send(START, article('g1'));
		expect(await flow.output('Posted', 2)).toMatchObject({ skipped: true, key: 'g1' });
		expect(texts('Ghost')).toEqual([
			'Ghost g1\n\nhttps://blog.example.com/pass/\n\n#ÜberLand #Pass',
		]);
		await flow.send(START, article('g2', { feature_image: null }));
		const [execution] = await flow.ended('Not Posted');
		const message = expect.stringContaining("'Media'") as string;
		expect(execution).toMatchObject({ status: 'error', error: { message } });
	});

	describe('The example for WordPress', () => {
		/** An article as WordPress returns it with `_embed`. */
		const article = (id: number, more: Item = {}, image?: string) => ({
			id,
			date: '2026-11-24T09:00:00',
			link: `https://blog.example.com/?p=${id}`,
			title: { rendered: `Wordpress ${id} &#8211; Tom &#038; Jerry` },
			excerpt: { rendered: '<p>Six lakes in a day [&hellip;]</p>\n', protected: false },
			featured_media: image ? 7 : 0,
			tags: [12, 15],
			_embedded: {
				...(image && { 'wp:featuredmedia': [{ source_url: image, alt_text: 'A lake' }] }),
				'wp:term': [
					[{ name: 'News', taxonomy: 'category' }],
					[
						{ name: 'Kaffee &amp; Kuchen', taxonomy: 'post_tag' },
						{ name: 'self-hosting', taxonomy: 'post_tag' },
					],
				],
			},
			...more,
		});

		/** A site with articles, and a WebP image. */
		const wordpress = async (found: unknown[]) =>
			await loopback(({ url }, response) => {
				asked.push(url!);
				const isImage = url!.endsWith('.webp');
				response.writeHead(200, { 'content-type': isImage ? 'image/webp' : 'application/json' });
				response.end(isImage ? Buffer.from(WEBP, 'base64') : JSON.stringify(found));
			});
		const asked: string[] = [];
		const listOf = ({ url }: { url: string }) => ({
			'Get New Articles': { url: `${url}/wp-json/wp/v2/posts` },
		});

		it('posts each article with a featured image once, as plain text with hashtags', async () => {
			const found = [article(1, {}, pictureUrl()), article(2), article(3, {}, pictureUrl())];
			const site = await wordpress(found);
			const flow = await ExampleFlow.scheduled('wordpress-to-post', listOf(site));
			await flow.run('Every 15 Minutes');
			found[0]!.title.rendered = 'Wordpress, updated';
			expect(outputOf(await flow.run('Every 15 Minutes'), 'Posted')).toMatchObject([
				{ skipped: true, key: '1' },
				{ skipped: true, key: '3' },
			]);
			expect(texts('Wordpress')).toEqual(
				[1, 3].map(
					(id) =>
						`Wordpress ${id} – Tom & Jerry\n\nSix lakes in a day\n\nhttps://blog.example.com/?p=${id}\n\n#KaffeeKuchen #selfhosting`,
				),
			);
			expect(posts('Wordpress')[0]!.request).toMatchObject({ exclusive: { alt_text: 'A lake' } });
			const query = new URL(asked[0]!, site.url).searchParams;
			expect(Date.now() - Date.parse(query.get('after')!)).toBeGreaterThan(47 * 3_600_000);
			expect(query.get('_embed')).toBe('wp:featuredmedia,wp:term');
			await site.stop();
		});

		it('converts a WebP image to JPEG in its other version', async () => {
			const found: unknown[] = [];
			const site = await wordpress(found);
			found.push(article(9, {}, `${site.url}/lake.webp`));
			const flow = await ExampleFlow.scheduled('wordpress-webp-to-post', listOf(site));
			await flow.run('Every 15 Minutes');
			await publish();
			expect(posts('Wordpress 9')).toMatchObject([
				{ status: 'published', media: [{ type: 'image/jpeg' }] },
			]);
			await site.stop();
		});
	});

	it('The example for two accounts posts an article once to each, with its own caption', async () => {
		const flow = await ExampleFlow.active('two-accounts');
		const [id, link, image] = ['two', 'https://blog.example.com/two', pictureUrl()];
		const body = { id, title: 'Two accounts', excerpt: '<p>Six &amp; more</p>', link, image };
		await flow.send(START, body);
		await flow.ended('Posted');
		await flow.send(START, body);
		await flow.ended('Posted', 2);
		const sent = [...posts('Two accounts'), ...posts('New on our blog')].map(
			({ request }) => request,
		);
		expect(sent).toMatchObject([
			{ social_account_id: 'acc_1024', text: `Two accounts\n\nSix & more\n\n${link}` },
			{ social_account_id: 'acc_2048', text: `New on our blog: Two accounts\n\n${link}` },
		]);
	});

	it('The example for a feed posts each new entry with a picture once, and refused ones again', async () => {
		const entry = (id: string, file?: string, hours = 1, image = '') => `<item>
			<title>${id}</title><link>https://blog.example.com/${id}</link>
			<guid isPermaLink="false">${id}</guid>
			<pubDate>${new Date(Date.now() - hours * 3_600_000).toUTCString()}</pubDate>
			<description>&lt;p&gt;&lt;img src="${image}"&gt;&lt;/p&gt;</description>
			${file ? `<enclosure url="${pictureUrl()}" length="1" type="${file}"/>` : ''}</item>`;
		const entries = [
			...[entry('r-new', 'image/jpeg'), entry('r-no', 'image/jpeg'), entry('r-bare')],
			...[entry('r-podcast', 'audio/mpeg'), entry('r-old', 'image/jpeg', 5 * 24)],
			entry('r-content', undefined, 1, pictureUrl()),
		];
		const site = await loopback((_, response) => {
			response.writeHead(200, { 'content-type': 'application/rss+xml' });
			response.end(`<rss version="2.0"><channel>${entries.join('')}</channel></rss>`);
		});
		fault('r-no', 'refused');
		const parameters = { 'Read the Feed': { url: site.url } };
		const flow = await ExampleFlow.scheduled('rss-feed-to-post', parameters);
		const first = await flow.run('Every 30 Minutes');
		expect(outputOf(first, 'Posted')).toMatchObject([1, 2].map(() => ({ status: 'processing' })));
		const refused = { guid: 'r-no', details: { outcome: 'refused' } };
		expect(outputOf(first, 'Not Posted')).toMatchObject([refused]);
		expect(outputOf(await flow.run('Every 30 Minutes'), 'Posted')).toMatchObject([
			{ skipped: true, key: 'r-new' },
			{ status: 'processing' },
			{ skipped: true, key: 'r-content' },
		]);
		expect(texts('r-')).toEqual(
			['r-new', 'r-content', 'r-no'].map((id) => `${id}\n\nhttps://blog.example.com/${id}`),
		);
		await site.stop();
	});

	describe('The example with a caption from a model', () => {
		let flow: ExampleFlow;
		beforeAll(async () => (flow = await ExampleFlow.active('ai-caption-to-post')));

		const announce = async (id: string, caption: Item = {}, picture = pictureUrl()) => {
			const bodyHas = `Title of ${id}`;
			setup.emulator.scriptChat([{ content: `Caption of ${id}`, bodyHas, ...caption }]);
			const url = 'https://blog.example.com/lakes';
			await flow.send(START, { id, title: bodyHas, text: 'Six lakes.', url, picture });
		};

		it('posts the caption once per article', async () => {
			await announce('one');
			await flow.ended('Posted');
			await announce('one', { content: 'Caption of one, again' });
			await flow.ended('Posted', 2);
			expect(texts('Caption of one')).toEqual(['Caption of one\n\nhttps://blog.example.com/lakes']);
		});

		it('reports an invalid post, a caption that is cut off, and an unknown outcome', async () => {
			await announce('two', {}, pictureUrl('a picture.jpg'));
			await announce('three', { finish_reason: 'length' });
			fault('Caption of four', 'server-error-after');
			await announce('four');
			const executions = await flow.ended('Notify Your Team', 3);
			const messages = executions.map((one) => outputOf(one, 'Notify Your Team')[0]!.message);
			expect(messages.sort()).toEqual([
				expect.stringMatching(/^Article four was not posted: [^]*Check on the platform first\.$/),
				expect.stringMatching(
					/^Article two cannot be posted: .*Media.*is not a valid link.*\nCaption: Caption of two/s,
				),
				expect.stringMatching(/^No caption was written for article three: ./),
			]);
			expect(texts('Caption of t')).toEqual([]);
		});
	});
}
