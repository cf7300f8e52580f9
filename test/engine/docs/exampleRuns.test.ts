import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IConnections, IDataObject, INode, INodeExecutionData, IPinData } from 'n8n-workflow';
import { samples } from '../../unit/post/mediaSamples';
import { NODE_TYPE, start, types } from '../harness/execution';
import { FileHost } from '../harness/fileHost';
import { describeNode } from '../harness/passThrough.node';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();
const folder = join(__dirname, '..', '..', '..', 'examples');

/** A node that outputs the items that its expression returns for each input item. */
types['test.items'] = {
	description: describeNode('Items', {
		properties: [{ displayName: 'Items', name: 'items', type: 'json', default: '' }],
	}),
	async execute() {
		const outputOf = (item: number): INodeExecutionData[] =>
			(this.getNodeParameter('items', item) as IDataObject[]).map((json) => ({
				...{ json, pairedItem: { item } },
			}));
		return [this.getInputData().flatMap((_, item) => outputOf(item))];
	},
};

/** The output of a node of n8n that sets fields, splits a list, shows a page or changes nothing. */
function itemsOf({ assignments, fieldToSplitOut, html, completionMessage: page }: IDataObject) {
	if (html) return [{ html: `=${html as string}` }];
	if (page) return [{ page: page as string }];
	if (fieldToSplitOut) return `={{ $json.${fieldToSplitOut as string} }}`;
	if (!assignments) return '={{ [$json] }}';
	const fields = assignments as { assignments: Array<{ name: string; value: string }> };
	return [Object.fromEntries(fields.assignments.map(({ name, value }) => [name, value]))];
}

/**
 * Runs an example from its trigger, with the items that triggers, forms and requests output. Returns
 * the output of a node by its name.
 */
async function run(example: string, trigger: string, pinData: IPinData, restApiUrl?: string) {
	const file = readFileSync(join(folder, `${example}.json`), 'utf8');
	const workflow = JSON.parse(file) as { nodes: INode[]; connections: IConnections };
	const nodes = workflow.nodes.map((node) => {
		const { parameters } = node;
		if (node.type !== NODE_TYPE) {
			const items = itemsOf(parameters);
			return { ...node, type: 'test.items', typeVersion: 1, parameters: { items } };
		}
		const account = parameters.socialAccountId as IDataObject | undefined;
		if (account) Object.assign(account, { mode: 'id', value: account.value || node.name });
		return { ...node, credentials: { socialOpenPlatformApi: { id: '1', name: 'Platform' } } };
	});
	nodes.sort((one, other) => Number(other.name === trigger) - Number(one.name === trigger));
	const { connections } = workflow;
	const { store } = platform;
	const { data } = await start({ nodes, connections, pinData, store, restApiUrl }).done;
	expect(data.resultData.error).toBeUndefined();
	return (name: string) =>
		(data.resultData.runData[name] ?? []).flatMap((task) =>
			(task.data?.main?.flat() ?? []).map((item) => item!.json),
		);
}

test('The example for two accounts posts a text to each account, and to one if the other refuses', async () => {
	const link = 'https://b.example/1';
	const image = 'https://cdn.example/a.jpg';
	const body = { id: 7, title: 'Tom &amp; Jerry', excerpt: '<p>Six lakes.</p>', link, image };
	const article = { 'Article Published': [{ json: { body } }] };
	const post = async () => await run('two-accounts', 'Article Published', article);
	platform.emulator.fault({ operation: 'createPost', bodyHas: 'New on our blog', kind: 'refused' });
	const first = await post();
	expect([first('Posted').length, first('Not Posted').length]).toEqual([1, 1]);
	const second = await post();
	expect(second('Posted').map(({ skipped }) => skipped)).toEqual([true, undefined]);
	expect(platform.emulator.posts.map(({ request }) => request)).toMatchObject([
		{ social_account_id: 'First Account', text: `Tom & Jerry\n\nSix lakes.\n\n${link}` },
		{ social_account_id: 'Second Account', text: `New on our blog: Tom & Jerry\n\n${link}` },
	]);
});

describe('The example that checks the platform', () => {
	let host: FileHost;
	beforeAll(async () => (host = await FileHost.start()));
	afterAll(async () => await host.stop());

	test.each([
		['is left empty', '', 'Not checked'],
		['is refused', 'chat-large', 'Change this setting'],
	])('reports a published file if the chat model %s', async (_, model, chat) => {
		platform.emulator.fault({ operation: 'chatCompletions', kind: 'refused' });
		const address = 'https://cdn.example/a';
		const form = {
			...{ 'Account ID': 'acc_1', Picture: `${address}.jpg`, 'Wide Picture': `${address}.jpg` },
			...{ Video: `${address}.mp4`, Username: 'anna', 'Location ID': '1', 'Chat Model': model },
			'Publish the posts?': 'Publish up to 9 posts',
		};
		const data = await host.store(samples.jpeg, 'a.jpg');
		// HTTP Request outputs a file together with the fields of its input.
		const picture = { json: { error: 'Of the model' }, binary: { data } };
		const outputOf = await run(
			'check-your-platform',
			'Start the Check',
			{
				'Ask First': [{ json: form }],
				'Use a Wrong Token': [{ json: {} }],
				'Get the Picture': [picture],
				'Ask What Is There': [{ json: { 'I see': ['Post with a link', 'Post with a file'] } }],
			},
			host.restApiUrl,
		);
		const [report] = outputOf('Report');
		expect(report?.html).toMatch(/<tr><td>Post with a file<\/td><td>Works<\/td>/);
		expect(report?.html).toContain(`<tr><td>Chat</td><td>${chat}</td>`);
	});
});

test('The example with a form for photos names the fields of the form', async () => {
	const photo = { Caption: 'Lakes', 'Publish At': 'tomorrow' };
	const given = { 'Photo Submitted': [{ json: photo }] };
	const [shown] = (await run('form-photo-to-post', 'Photo Submitted', given))('Not Accepted');
	expect(shown?.page).toMatch(/'Publish At' .*leave it empty.*'Photo' /);
	expect(shown?.page).not.toMatch(/'Publish Time'|'Media'/);
});

test.each([
	[['Create_Post', '[{"action_sn":"SA1"}]'], 'was accepted by the platform: SA1. '],
	[['Create_Post', '[{"error":"Too \\"long\\"","details":{}}]'], 'was not posted: Too \\"long\\"'],
	[['Create_Post', 'User rejected the tool call'], 'was declined'],
	[['Validate_Post', '[{"valid":true}]'], 'did not call Create Post.'],
])('The example with an agent reports %j', async ([tool, observation], message) => {
	const intermediateSteps = [{ action: { tool }, observation }];
	const outputOf = await run('ai-agent-with-approval', 'Topic Suggested', {
		'Topic Suggested': [{ json: { Topic: 'Lakes' } }],
		'Write and Post': [{ json: { output: 'It is published!', intermediateSteps } }],
	});
	const [{ message: sent } = {}] = outputOf('Write the Message');
	expect(sent).toContain('The post about “Lakes” was ');
	expect(sent).toContain(message);
});
