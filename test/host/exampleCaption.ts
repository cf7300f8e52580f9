import { texts } from './exampleArticles';
import { ExampleFlow, outputOf } from './exampleFlow';
import type { Setup } from '../n8n/setup';

/** Tests the example in which a model writes the caption. */
export function testCaption(setup: () => Setup): void {
	describe('the example with a caption from a model', () => {
		let flow: ExampleFlow;
		beforeAll(async () => {
			flow = await (await ExampleFlow.of(setup(), 'ai-caption-to-post')).activate();
		});

		const article = (id: number, picture = 'lake.jpg') => ({
			id,
			title: `Article ${id}`,
			text: 'Six lakes and where to swim.',
			url: `https://blog.example.com/${id}`,
			picture: `${setup().emulator.url}/media/${picture}`,
		});
		const publish = async (body: object) =>
			expect(await flow.send('Article Published', body)).toBe(200);
		const posted = () => texts(setup()).filter((text) => text.startsWith('Lakes'));

		it('posts the caption once per article', async () => {
			for (const count of [1, 2]) {
				const content = `Lakes, version ${count} #swim`;
				setup().emulator.scriptChat([{ content, bodyHas: 'Article 901' }]);
				await publish(article(901));
				await flow.ended('Posted', count);
			}
			expect(posted()).toEqual(['Lakes, version 1 #swim\n\nhttps://blog.example.com/901']);
		});

		it.each([
			[902, 'a picture.jpg', 'is not a valid link'],
			[905, 'failing.jpg', 'does not exist: the server responds with HTTP 404'],
		])('reports an invalid post (%i, %s), and sends nothing', async (id, picture, problem) => {
			setup().emulator.scriptChat([{ content: 'Lakes again', bodyHas: `Article ${id}` }]);
			const arrived = setup().arrived('createPost');
			await publish(article(id, picture));
			const invalid = await flow.ended('Invalid Post', id === 902 ? 1 : 2);
			const messages = invalid.map((one) => outputOf(one, 'Notify Your Team')[0]!.message);
			const message = messages.find((text) => String(text).startsWith(`Article ${id}`));
			expect(message).toMatch(/cannot be posted: .*Media.*\nCaption: Lakes/);
			expect(message).toContain(problem);
			expect(setup().arrived('createPost')).toBe(arrived);
		});

		it('does not post a caption that is cut off, and reports it', async () => {
			const cut = { content: 'Lakes and', finish_reason: 'length', bodyHas: 'Article 903' };
			setup().emulator.scriptChat([cut]);
			await publish(article(903));
			const [execution] = await flow.ended('No Caption', 1);
			const [{ message } = {}] = outputOf(execution!, 'Notify Your Team');
			expect(message).toMatch(/^No caption was written for article 903: ./);
			expect(posted()).toHaveLength(1);
		});

		it('reports that a post with an unknown outcome may have been published', async () => {
			setup().emulator.scriptChat([{ content: 'Lakes in fog', bodyHas: 'Article 904' }]);
			const bodyHas = 'Lakes in fog';
			setup().emulator.fault({ operation: 'createPost', bodyHas, kind: 'server-error-after' });
			await publish(article(904));
			const [execution] = await flow.ended('Not Posted', 1);
			const [{ message } = {}] = outputOf(execution!, 'Notify Your Team');
			expect(message).toMatch(/^Article 904 was not posted: [^]*Check on the platform first\.$/);
		});
	});
}
