import { texts } from './exampleArticles';
import { ExampleFlow, out } from './exampleFlow';
import type { Setup } from '../n8n/setup';

/** A model writes the caption, and only what can be posted is posted. */
export function captionIsTested(setup: () => Setup): void {
	describe('the example with a caption by a model', () => {
		let flow: ExampleFlow;
		beforeAll(async () => {
			flow = await (await ExampleFlow.of(setup(), 'ai-caption-to-post')).activate();
		});

		const article = (id: number, picture = 'https://blog.example.com/c.jpg') => ({
			id,
			title: `Article ${id}`,
			text: 'Six lakes and where to swim.',
			url: `https://blog.example.com/${id}`,
			picture,
		});
		const publish = async (body: object) =>
			expect(await flow.send('Article Published', body)).toBe(200);
		const posted = () => texts(setup()).filter((text) => text.startsWith('Lakes'));

		it('posts what the model has written, once for an article', async () => {
			for (const count of [1, 2]) {
				const content = `Lakes, version ${count} #swim`;
				setup().emulator.scriptChat([{ content, bodyHas: 'Article 901' }]);
				await publish(article(901));
				await flow.ended('Posted', count);
			}
			expect(posted()).toEqual(['Lakes, version 1 #swim\n\nhttps://blog.example.com/901']);
		});

		it('tells what is wrong, and sends nothing, where it cannot be posted', async () => {
			setup().emulator.scriptChat([{ content: 'Lakes again', bodyHas: 'Article 902' }]);
			const arrived = setup().arrived('createPost');
			await publish(article(902, 'no address'));
			const [execution] = await flow.ended('Notify Your Team', 1);
			const [{ message } = {}] = out(execution!, 'Notify Your Team');
			expect(message).toMatch(/^Article 902 cannot be posted: .*Media URLs.*\nCaption: Lakes/);
			expect(setup().arrived('createPost')).toBe(arrived);
		});

		it('makes no post of half a caption, and tells what the model did', async () => {
			const cut = { content: 'Lakes and', finish_reason: 'length', bodyHas: 'Article 903' };
			setup().emulator.scriptChat([cut]);
			await publish(article(903));
			const [execution] = await flow.ended('No Caption', 1);
			const [{ message } = {}] = out(execution!, 'Notify Your Team');
			expect(message).toMatch(/^No caption was written for article 903: ./);
			expect(posted()).toHaveLength(1);
		});

		it('says whether a post may be out where the platform does not answer well', async () => {
			setup().emulator.scriptChat([{ content: 'Lakes in fog', bodyHas: 'Article 904' }]);
			const bodyHas = 'Lakes in fog';
			setup().emulator.fault({ operation: 'createPost', bodyHas, kind: 'server-error-after' });
			await publish(article(904));
			const [execution] = await flow.ended('Not Posted', 1);
			const [{ message } = {}] = out(execution!, 'Notify Your Team');
			expect(message).toMatch(/^Article 904 was not posted: [^]*Check on the platform first\.$/);
		});
	});
}
