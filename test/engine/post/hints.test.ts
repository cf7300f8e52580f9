import { Workflow, type IDataObject, type INodeExecutionData } from 'n8n-workflow';
import { node, NODE_TYPE, nodeTypes, types } from '../harness/execution';

/** Returns the beginning of the hints that n8n's editor shows, which evaluates their conditions like this. */
function hintsFor(parameters: IDataObject, items: INodeExecutionData[]): string[] {
	const post = node('Post', NODE_TYPE, {
		...{ resource: 'post', operation: 'create', mediaUrls: ['https://cdn.example/a.jpg'] },
		...parameters,
	});
	const { expression } = new Workflow({ nodes: [post], connections: {}, active: false, nodeTypes });
	const { hints = [] } = types[NODE_TYPE]!.description;
	const shown = hints.filter(({ displayCondition: condition }) => {
		try {
			return (
				expression.getParameterValue(condition, null, 0, 0, 'Post', items, 'manual', {}) === true
			);
		} catch {
			return false;
		}
	});
	return shown.map(({ message }) => message.split(/[.,]/)[0]!);
}

const items = (count: number, more: Partial<INodeExecutionData> = {}) =>
	Array.from({ length: count }, () => ({ json: {}, ...more }));
const photo = { binary: { data: { data: '', mimeType: 'image/jpeg' } } };
const delivery = { json: { headers: {}, body: {}, webhookUrl: 'https://n8n.example/webhook/a' } };

const EACH_ITEM = 'Each input item becomes a post';
const NO_MEDIA = 'The input contains a file';
const FILE_LINK = 'To post a file';
const NO_KEY = 'The input comes from a webhook';

const validate = { operation: 'validate' };
const noMedia = { mediaUrls: [] };

test.each<[string, IDataObject, INodeExecutionData[], string[]]>([
	['one item', {}, items(1), []],
	['no data of the input', {}, [], []],
	['several items', {}, items(2), [EACH_ITEM]],
	['several items and a limit', { options: { maxPostsPerRun: 50 } }, items(2), []],
	['several items and Validate', validate, items(2), []],
	['several items and a chat', { resource: 'chat', operation: 'complete' }, items(2, photo), []],
	['a file that is posted', { mediaUrls: ['={{ $binary.data }}'] }, items(1, photo), [FILE_LINK]],
	['a file and no media', noMedia, items(1, photo), [NO_MEDIA]],
	['a file and Validate without media', { ...validate, ...noMedia }, items(1, photo), [NO_MEDIA]],
	['a webhook', {}, items(1, delivery), [NO_KEY]],
	['a webhook and a key', { options: { oncePerKey: '={{ $json.id }}' } }, items(1, delivery), []],
	['a webhook and Validate', validate, items(1, delivery), []],
])('The editor shows the hints for %s before the node runs', (_, parameters, input, shown) => {
	expect(hintsFor(parameters, input)).toStrictEqual(shown);
});
