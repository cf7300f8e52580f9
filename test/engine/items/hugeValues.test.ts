import type { IDataObject, INodeType } from 'n8n-workflow';
import { node, start, types } from '../harness/execution';
import { usePlatform } from '../harness/platform';

/** CPU time above that of a Set node that reads the same expression, in milliseconds. */
const MAX_MS = 300;
const SIZE = 16 * 1024 * 1024;

const platform = usePlatform();
beforeAll(() => void (types['test.reader'] = reader));

/** Reads one parameter, as a Set node does. */
const reader = {
	description: { properties: [{ name: 'value', type: 'string', default: '' }] },
	async execute() {
		this.getNodeParameter('value', 0);
		return [[{ json: {} }]];
	},
} as Pick<INodeType, 'execute'> as INodeType;

const VALUE = '={{ $json.body.value }}';
const post = { operation: 'validate', options: { checkMedia: false } };
// Without a model, nothing is sent, so that the time for sending does not count.
const complete = { resource: 'chat', operation: 'complete', model: '={{ null }}' };
const respond = { resource: 'chat', operation: 'respond', model: '={{ null }}', input: 'Hello' };
const message = (value: unknown) => ({ messages: { message: value } }) as IDataObject;

/** Parameters with the expression in each field in turn. */
const fields: Record<string, IDataObject> = {
	Account: { ...post, socialAccountId: VALUE },
	Text: { ...post, text: VALUE },
	Media: { ...post, mediaUrls: VALUE },
	'a row of Media': { ...post, mediaUrls: [VALUE] },
	'Content Type': { ...post, contentType: VALUE },
	'Publish Time': { ...post, publishTime: VALUE, publishAt: '2099-07-01' },
	'Publish At': { ...post, publishTime: 'at', publishAt: VALUE },
	'a row of Collaborators': { ...post, postOptions: { collaborators: [VALUE] } },
	...Object.fromEntries(
		[
			...[
				'altText',
				'autoCropImage',
				'collaborators',
				'locationId',
				'additionalBodyFields',
				'title',
			],
			...['trialReel', 'videoCoverImageUrl', 'videoCoverOffset'],
		].map((name) => [name, { ...post, postOptions: { [name]: VALUE } }]),
	),
	...Object.fromEntries(
		['oncePerKey', 'fileLinkValidity', 'maxPostsPerRun', 'timeout'].map((name) => [
			name,
			{ ...post, options: { checkMedia: false, [name]: VALUE } },
		]),
	),
	...Object.fromEntries(
		['socialAccountId', 'key'].map((name) => [
			`${name} of Clear`,
			{ operation: 'clear', key: 'a', [name]: VALUE },
		]),
	),
	Content: { ...complete, ...message([{ role: 'user', content: VALUE }]) },
	Role: { ...complete, ...message([{ role: VALUE, content: 'Hello' }]) },
	Messages: { ...complete, ...message(VALUE) },
	'Messages (JSON)': { ...complete, specifyMessages: 'json', messagesJson: VALUE },
	Model: { ...complete, ...message([{ role: 'user', content: '' }]), model: VALUE },
	'JSON Schema': {
		...{ ...complete, ...message([{ role: 'user', content: 'a' }]) },
		...{ outputFormat: 'json_schema', jsonSchema: VALUE },
	},
	Input: { ...respond, input: VALUE },
	Instructions: { ...respond, instructions: VALUE },
	'Input (JSON)': { ...respond, specifyInput: 'json', inputJson: VALUE },
	'Other Fields (JSON) of chat': { ...respond, options: { additionalBodyFields: VALUE } },
};

const many = Array.from({ length: SIZE / 4 }, () => 'a');
const shapes: Array<[shape: string, value: unknown]> = [
	['a list of many entries', many],
	['a list of few long entries', Array.from({ length: 8 }, () => 'a'.repeat(SIZE / 8))],
	['deeply nested lists', many.slice(0, 2000).reduce<unknown>((inner) => [inner], 1)],
	['a long text', 'a '.repeat(SIZE / 2)],
	['a long text without a space', `:${'/'.repeat(SIZE)}`],
	['JSON text of many entries', JSON.stringify(many)],
	['JSON text of many objects', `{"a":[${'{"b":1},'.repeat(SIZE / 8)}1]}`],
	['JSON text that is deeply nested', `${'['.repeat(SIZE / 2)}${']'.repeat(SIZE / 2)}`],
];

test.each(shapes)('quickly reads or refuses %s in every field', async (_, value) => {
	const items = [{ json: { body: { value } as IDataObject } }];
	const timeOf = async (run: () => Promise<unknown>) => {
		const from = process.cpuUsage();
		await run();
		return process.cpuUsage(from).user / 1000;
	};
	const baseline = async () =>
		await start({
			store: platform.store,
			nodes: [node('Items', 'test.passThrough'), node('Read', 'test.reader', { value: VALUE })],
			connections: { Items: { main: [[{ node: 'Read', type: 'main', index: 0 }]] } },
			pinData: { Items: items },
		}).done;
	await baseline();
	const least = Math.min(await timeOf(baseline), await timeOf(baseline));
	const slow: Record<string, number> = {};
	for (const [field, parameters] of Object.entries(fields)) {
		const run = async () => {
			const { error } = await platform.run(parameters, {
				items: [items[0]!.json],
				workflowId: null,
			});
			expect(error?.message.length ?? 0).toBeLessThan(500);
		};
		let took = Infinity;
		for (let tries = 0; tries < 5 && took > MAX_MS; tries++) {
			took = Math.min(took, Math.round((await timeOf(run)) - least));
		}
		if (took > MAX_MS) slow[field] = took;
	}
	expect(slow).toStrictEqual({});
});
