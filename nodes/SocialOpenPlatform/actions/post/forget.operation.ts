import { updateDisplayOptions, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { invalid, type Outcome } from '../../transport/outcome';
import { nameOf, type Run } from '../run';
import { KeyHistory } from './keys/keyHistory';
import { keyScope, keyScopes, keyText } from './options';

const properties: INodeProperties[] = [
	{
		displayName:
			'Clears keys recorded by the option \'Deduplication Key\' of Create, so that their posts can be published again. For keys with the scope Workflow, use a separate node. Keys with the scope Node can only be cleared by <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/operations.md#clear-deduplication-keys">the node that recorded them</a>, whose fields n8n empties when you change its operation.',
		name: 'forgetNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Keys to Clear',
		name: 'forget',
		type: 'options',
		options: [
			{
				name: 'All Keys',
				value: 'all',
				description:
					'All keys of the scope. With the scope Workflow, this also clears the history of Remove Duplicates nodes with that scope.',
			},
			{ name: 'One Key', value: 'one', description: 'The key of each item. Other keys are kept.' },
		],
		default: 'one',
		description: 'Which keys to clear, so that their posts can be published again',
	},
	{
		displayName: 'Key',
		name: 'key',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.slug }}',
		description:
			"Key exactly as it was given in 'Deduplication Key', including spaces and capital letters. Clearing a key that was never used has no effect.",
		displayOptions: { show: { forget: ['one'] } },
	},
	keyScope,
];

export const description = updateDisplayOptions(
	{ show: { resource: ['post'], operation: ['forget'] } },
	properties,
);

/** The fields of an item by their labels. */
const keySchema = z.object({
	Scope: keyScopes,
	Key: keyText('is empty for this item').optional(),
});

export async function begin(): Promise<Run> {
	return {};
}

/**
 * Clears one key, or all keys of a scope.
 *
 * @returns `forgotten` with the key or the text `all keys`, and `scope`
 */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<Outcome<object>> {
	const read = (name: string, fallback: unknown) =>
		context.getNodeParameter(name, itemIndex, fallback) as unknown;
	const isOne = read('forget', 'one') !== 'all';
	const { data, error } = keySchema.safeParse({
		Scope: read('keyScope', 'node'),
		Key: isOne ? (read('key', '') ?? '') : undefined,
	});
	if (error) {
		return invalid(
			nameOf('item', itemIndex, context.getInputData().length),
			error.issues.map(({ path, message }) => ({ field: String(path[0]), message })),
		);
	}
	const { Scope: scope, Key: key } = data;
	const history = KeyHistory.of(context, scope);
	if ('failure' in history) return history;
	if (isOne) await history.forget(key!);
	else await history.forgetAll();
	return { kind: 'accepted', value: { forgotten: isOne ? key : 'all keys', scope } };
}
