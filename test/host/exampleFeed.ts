import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loopback } from '../loopback';
import { texts } from './exampleArticles';
import { ExampleFlow, type FilledIn, outputOf } from './exampleFlow';
import { example } from '../n8n/examples';
import { root } from '../n8n/pack';
import type { Setup } from '../n8n/setup';

const entry = (id: string, published: Date, picture?: string, type = 'image/jpeg') => `<item>
	<title>${id}</title><link>https://blog.example.com/${id}</link><guid isPermaLink="false">${id}</guid>
	<pubDate>${published.toUTCString()}</pubDate>
	${picture ? `<enclosure url="${picture}" length="1" type="${type}"/>` : ''}</item>`;

const feed = (
	entries: string[],
) => `<?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>
	<title>Blog</title><link>https://blog.example.com</link><description>d</description>
	${entries.join('\n')}</channel></rss>`;

/** Tests the example that posts the entries of a feed. */
export function testFeed(setup: () => Setup): void {
	describe('the example for a feed', () => {
		const picture = 'https://blog.example.com/r.jpg';
		const now = Date.now();
		const entries = [
			entry('r-new', new Date(now - 3_600_000), picture),
			entry('r-bare', new Date(now - 3_600_000)),
			entry('r-podcast', new Date(now - 3_600_000), 'https://blog.example.com/r.mp3', 'audio/mpeg'),
			entry('r-old', new Date(now - 5 * 86_400_000), picture),
		];
		let site: Awaited<ReturnType<typeof loopback>>;
		beforeAll(async () => {
			site = await loopback((_, response) => {
				response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed(entries));
			});
		});
		afterAll(async () => await site?.stop());

		it('posts each new entry with a picture once, and entries that are added later', async () => {
			const parameters = { 'Read the Feed': { url: `${site.url}/feed` } };
			const flow = await ExampleFlow.of(setup(), 'rss-feed-to-post', { parameters });
			await flow.checkActivation();
			const posted = () => texts(setup()).filter((text) => text.startsWith('r-'));
			const run = async () => outputOf(await flow.run('Every 30 Minutes'), 'Posted');
			expect(await run()).toMatchObject([{ status: 'processing' }]);
			expect(posted()).toEqual(['r-new\n\nhttps://blog.example.com/r-new']);
			expect(await run()).toMatchObject([{ skipped: true, key: 'r-new' }]);
			entries.unshift(entry('r-next', new Date(now), picture));
			expect(await run()).toMatchObject([{ status: 'processing' }, { skipped: true }]);
			expect(posted()).toHaveLength(2);
		});

		it('sends refused posts again, but not those with an unknown outcome', async () => {
			const addFault = (id: string, kind: 'refused' | 'server-error-after') =>
				setup().emulator.fault({ operation: 'createPost', bodyHas: id, kind });
			entries.splice(
				0,
				Infinity,
				...['r-no', 'r-lost'].map((id) => entry(id, new Date(now), picture)),
			);
			addFault('r-no', 'refused');
			addFault('r-lost', 'server-error-after');
			const parameters = { 'Read the Feed': { url: `${site.url}/feed` } };
			const flow = await ExampleFlow.of(setup(), 'rss-feed-to-post', { parameters });
			expect(outputOf(await flow.run('Every 30 Minutes'), 'Not Posted')).toMatchObject([
				{ guid: 'r-no', details: { outcome: 'refused' } },
				{ guid: 'r-lost', details: { outcome: 'unknown' } },
			]);
			expect(outputOf(await flow.run('Every 30 Minutes'), 'Posted')).toMatchObject([
				{ status: 'processing' },
				{ skipped: true, key: 'r-lost', first: { outcome: 'unknown' } },
			]);
		});

		it('reads pictures from another field with the documented expression', async () => {
			const media = `<media:content url="${picture}" medium="image"/>`;
			const fresh = entry('r-media', new Date(now));
			const without = entry('r-none', new Date(now));
			entries.splice(0, Infinity, fresh.replace('</item>', `${media}</item>`), without);
			const { nodes } = example('rss-feed-to-post', await setup().credential('media'));
			const page = readFileSync(join(root, 'docs', 'examples.md'), 'utf8');
			const [, written = ''] = /write `\{\{ (.*?media:content.*?) \}\}`/.exec(page) ?? [];
			const filledIn = JSON.stringify(
				Object.fromEntries(nodes.map((node) => [node.name, node.parameters])),
			).replace(/\$json\.enclosure\?*\.url( \?\? '')?/g, () => written);
			const parameters = JSON.parse(filledIn) as FilledIn;
			const options = { customFields: 'media:content' };
			Object.assign(parameters['Read the Feed']!, { url: `${site.url}/feed`, options });
			const flow = await ExampleFlow.of(setup(), 'rss-feed-to-post', { parameters });
			expect(outputOf(await flow.run('Every 30 Minutes'), 'Posted')).toMatchObject([
				{ status: 'processing' },
			]);
		});
	});
}
