import { randomInt } from 'node:crypto';
import cards from '../fixtures/ghost-cards.json';
import codeInTitle from '../fixtures/ghost-code-in-title.json';
import paywall from '../fixtures/ghost-paywall.json';
import strapi from '../fixtures/strapi-5-publish.json';
import { ExampleFlow, fault, outputOf, pictureUrl, posts, setup, texts } from './exampleFlow';
import type { Item } from './postFlow';

const START = 'Article Published';

/** Tests the examples that post articles of a CMS and of Ghost, or with a caption of a model. */
export function testArticles(): void {
	describe('The example for a CMS', () => {
		let flow: ExampleFlow;
		beforeAll(async () => (flow = await ExampleFlow.active('cms-publish-to-post')));

		/** Publishes an entry as Strapi does, and returns the status and the body of the response. */
		const announce = async (documentId: string, more: Item = {}): Promise<[number, unknown]> => {
			const post_excerpt = `Article ${documentId}`;
			const own = { id: randomInt(1000), documentId, post_excerpt, featured_image: pictureUrl() };
			const entry = { ...strapi.entry, ...own, ...more };
			const response = await flow.send(START, { ...strapi, entry });
			return [response.status, await response.json()];
		};

		it('posts an article only once when it is announced twice', async () => {
			expect(await announce('1')).toMatchObject([200, { posted: true, status: 'processing' }]);
			expect(await announce('1')).toMatchObject([200, { posted: true, skipped: true, key: '1' }]);
			expect(texts('Article 1')).toHaveLength(1);
		});

		it('responds with the reason alone if an article was not posted, and fails', async () => {
			const reason = expect.stringContaining("'Media'") as string;
			const response = await announce('2', { featured_image: '' });
			expect(response).toEqual([422, { posted: false, reason }]);
			const [execution] = await flow.ended('Fail the Execution');
			expect(execution).toMatchObject({ status: 'error', error: { message: reason } });
		});

		it('responds with another status if it is not known whether an article was posted', async () => {
			fault('Article 3', 'server-error-after');
			const responses = [await announce('3'), await announce('3')];
			const reason = expect.stringMatching(/not known whether/) as string;
			expect(responses).toEqual(Array(2).fill([409, { posted: false, reason }]));
			expect(texts('Article 3')).toHaveLength(1);
		});

		it('uses the title if there is no excerpt, and turns tags into hashtags', async () => {
			const permalink = 'https://blog.example.com/bare';
			const bare = { post_title: 'Bare', post_excerpt: '', permalink };
			await announce('4', { ...bare, tags: ['Über Land', 'lakes'] });
			await announce('5', { ...bare, tags: undefined });
			expect(texts('Bare')).toEqual([
				`Bare\n\n${permalink}\n\n#ÜberLand #lakes`,
				`Bare\n\n${permalink}`,
			]);
		});
	});

	it('The example for Ghost posts what everybody may read, as plain text, or fails with the reason', async () => {
		const flow = await ExampleFlow.active('ghost-published-to-post');
		for (const [index, body] of [cards, paywall, codeInTitle, cards].entries()) {
			await flow.send(START, body);
			await flow.ended('Posted', index + 1);
		}
		expect(await flow.output('Posted', 4)).toMatchObject({ skipped: true });
		expect([texts('First'), texts('Paid'), texts('Use')].flat()).toEqual([
			expect.stringMatching(
				/^First (?!.*\n\n\n).*\n\nThe end\.\n\nhttps.*\n\n#KaffeeKuchen #Größe #News$/s,
			),
			`Paid with paywall card\n\n${paywall.post.current.url}`,
			`Use <br> and <img> when a < b.\n\n${codeInTitle.post.current.url}`,
		]);
		const current = { ...cards.post.current, id: 'g2', feature_image: null };
		await flow.send(START, { post: { current } });
		const [execution] = await flow.ended('Not Posted');
		const message = expect.stringContaining("'Media'") as string;
		expect(execution).toMatchObject({ status: 'error', error: { message } });
	});

	it('The example for two accounts posts an article once to each, with its own caption', async () => {
		const socialAccountId = { __rl: true, mode: 'id', value: 'acc_2048' };
		const flow = await ExampleFlow.active('two-accounts', {
			'Second Account': { socialAccountId },
		});
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
