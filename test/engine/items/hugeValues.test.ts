import type { IDataObject, INodeType } from 'n8n-workflow';
import { node, start, types } from '../harness/execution';
import { usePlatform } from '../harness/platform';

/**
 * CPU time above that of a Set node that reads the same expression, in milliseconds. On a machine with much
 * other work, the slowest field takes a third of it.
 */
const MAX_MS = 125;
const SIZE = 1024 * 1024;

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
const respond = { resource: 'chat', operation: 'respond', model: '={{ null }}', input: 'Hello' };
const complete = (message: unknown, more: IDataObject = {}) =>
	({ ...respond, operation: 'complete', messages: { message }, ...more }) as IDataObject;

const postOptions = [
	...['altText', 'autoCropImage', 'collaborators', 'locationId', 'additionalBodyFields', 'title'],
	...['trialReel', 'videoCoverImageUrl', 'videoCoverOffset'],
];

/** Parameters with the expression in each field in turn. */
const parametersWithValue: IDataObject[] = [
	...['socialAccountId', 'text', 'mediaUrls', 'contentType'].map((name) => ({
		...post,
		[name]: VALUE,
	})),
	{ ...post, mediaUrls: [VALUE] },
	{ ...post, publishTime: VALUE, publishAt: '2099-07-01' },
	{ ...post, publishTime: 'at', publishAt: VALUE },
	{ ...post, postOptions: { collaborators: [VALUE] } },
	...postOptions.map((name) => ({ ...post, postOptions: { [name]: VALUE } })),
	...['oncePerKey', 'fileLinkValidity', 'maxPostsPerRun', 'timeout'].map((name) => ({
		...post,
		options: { ...post.options, [name]: VALUE },
	})),
	...['socialAccountId', 'key'].map((name) => ({ operation: 'clear', key: 'a', [name]: VALUE })),
	complete([{ role: 'user', content: VALUE }]),
	complete([{ role: VALUE, content: 'Hello' }]),
	complete(VALUE),
	complete([], { specifyMessages: 'json', messagesJson: VALUE }),
	complete([{ role: 'user', content: '' }], { model: VALUE }),
	complete([{ role: 'user', content: 'a' }], { outputFormat: 'json_schema', jsonSchema: VALUE }),
	...['input', 'instructions'].map((name) => ({ ...respond, [name]: VALUE })),
	{ ...respond, options: { additionalBodyFields: VALUE } },
];

const many = Array.from({ length: SIZE / 4 }, () => 'a');

test.each<[shape: string, value: unknown]>([
	['a list of many entries', many],
	['deeply nested lists', many.slice(0, 2000).reduce<unknown>((inner) => [inner], 1)],
	['a long text', 'a '.repeat(SIZE / 2)],
	['a long text without a space', `:${'/'.repeat(SIZE)}`],
	['JSON text of many entries', JSON.stringify(many)],
	['JSON text that is deeply nested', `${'['.repeat(SIZE / 2)}${']'.repeat(SIZE / 2)}`],
])('%s is read or refused quickly in every field', async (_, value) => {
	const json = { body: { value } as IDataObject };
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
			pinData: { Items: [{ json }] },
		}).done;
	await baseline();
	const least = Math.min(await timeOf(baseline), await timeOf(baseline));
	const slow: object[] = [];
	for (const parameters of parametersWithValue) {
		const run = async () => {
			const { error } = await platform.run(parameters, { items: [json], workflowId: null });
			expect(error?.message.length ?? 0).toBeLessThan(500);
		};
		let took = Infinity;
		for (let tries = 0; tries < 5 && took > MAX_MS; tries++) {
			took = Math.min(took, Math.round((await timeOf(run)) - least));
		}
		if (took > MAX_MS) slow.push({ took, parameters });
	}
	expect(slow).toStrictEqual([]);
});
