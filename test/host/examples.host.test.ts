import { randomInt } from 'node:crypto';
import cards from '../fixtures/ghost-cards.json';
import codeInTitle from '../fixtures/ghost-code-in-title.json';
import paywall from '../fixtures/ghost-paywall.json';
import strapi from '../fixtures/strapi-5-publish.json';
import { newest, thisHost } from '../n8n/hosts';
import type { WorkflowNode } from '../n8n/rest';
import { withEditor } from '../n8n/setup';
import { given, manual, row } from '../n8n/workflows';
import { ExampleFlow, fault, pictureUrl, setup, texts, useExamples } from './exampleFlow';
import { type Item, outputOf } from './postFlow';
import { testPackage } from './packageTests';
import { startSite, stopSite, testWordPress } from './wordPressTests';

// Only the editor's n8n lists its nodes. The newest one is tested in the suite of the editor.
useExamples(thisHost === newest ? {} : withEditor, startSite);
afterAll(stopSite);
testWordPress();
if (thisHost !== newest) testPackage(() => setup);

it('The example for a CMS posts an entry of Strapi once, and responds with what happened', async () => {
	const flow = await ExampleFlow.active('cms-publish-to-post');
	const announce = async (documentId: string, more: Item = {}) => {
		const post_excerpt = `Article ${documentId}`;
		const own = { id: randomInt(1000), documentId, post_excerpt, featured_image: pictureUrl() };
		return await flow.send({ ...strapi, entry: { ...strapi.entry, ...own, ...more } });
	};
	expect(await announce('1')).toMatchObject([200, { posted: true, status: 'processing' }]);
	expect(await announce('1')).toMatchObject([200, { posted: true, skipped: true, key: '1' }]);
	const reason = expect.stringContaining("'Media'") as string;
	expect(await announce('2', { featured_image: '' })).toEqual([422, { posted: false, reason }]);
	const execution = await flow.ended('Fail the Execution');
	expect(execution).toMatchObject({ status: 'error', error: { message: reason } });
	fault('Article 3', 'server-error-after');
	expect(await announce('3')).toMatchObject([409, { reason: expect.stringMatching(/not known/) }]);
	const permalink = 'https://blog.example.com/bare';
	await announce('4', { post_title: 'Bare', post_excerpt: '', permalink, tags: ['Über Land'] });
	expect([...texts('Article'), ...texts('Bare')]).toEqual([
		expect.stringMatching(/^Article 1/),
		expect.stringMatching(/^Article 3/),
		`Bare\n\n${permalink}\n\n#ÜberLand`,
	]);
});

it('The example for Ghost posts what everybody may read, as plain text, or fails with the reason', async () => {
	const flow = await ExampleFlow.active('ghost-published-to-post');
	for (const [index, body] of [cards, paywall, codeInTitle, cards].entries()) {
		await flow.send(body);
		const execution = await flow.ended('Posted', index + 1);
		expect(outputOf(execution, 'Posted')[0]!.skipped).toBe(index === 3 ? true : undefined);
	}
	expect([texts('First'), texts('Paid'), texts('Use')].flat()).toEqual([
		expect.stringMatching(
			/^First (?!.*\n\n\n).*\n\nThe end\.\n\nhttps.*\n\n#KaffeeKuchen #Größe #News$/s,
		),
		`Paid with paywall card\n\n${paywall.post.current.url}`,
		`Use <br> and <img> when a < b.\n\n${codeInTitle.post.current.url}`,
	]);
	const current = { ...cards.post.current, id: 'g2', feature_image: null };
	await flow.send({ post: { current } });
	const message = expect.stringContaining("'Media'") as string;
	expect(await flow.ended('Not Posted')).toMatchObject({ status: 'error', error: { message } });
});

// Before n8n 2, the Data Table node cannot create tables.
(thisHost === newest ? it : it.skip)(
	'The example with one table posts rows to which somebody gave no status, waiting or again',
	async () => {
		const flow = await ExampleFlow.active('one-table-for-every-post', {
			'Wait 30 Seconds': { amount: 0 },
		});
		await flow.run('Set Up Once');
		const media_url = pictureUrl();
		const statuses = ['   ', 'Waiting ', ' draft', 'AGAIN', 'published', null];
		const rows = statuses.map((status, index) => ({
			...{ text: `Row ${index}`, media_url, status, action_sn: `SA${index}` },
		}));
		const add: WorkflowNode = {
			...{ name: 'Add', type: 'n8n-nodes-base.dataTable', typeVersion: 1 },
			parameters: {
				...{ resource: 'row', operation: 'insert' },
				dataTableId: { __rl: true, mode: 'name', value: 'posts' },
				columns: { mappingMode: 'autoMapInputData', value: null },
			},
		};
		const adding = await setup.rest.createWorkflow(given(row('add', manual(), add), ...rows));
		await setup.rest.run(adding.id, 'Start');
		await setup.emulator.deliver(
			{ id: 'late', data: { action_sn: 'SA3', status: 'failed' } },
			{ url: flow.url },
		);
		await flow.ended('Update the Row');
		for (let run = 0; run < statuses.length; run++) await flow.run('Seven Times a Day');
		expect(texts('Row')).toEqual(['Row 0', 'Row 1', 'Row 3', 'Row 5']);
	},
);
