import { updateDisplayOptions, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { invalid, type Outcome } from '../../transport/outcome';
import type { Run } from '../run';
import { KeyHistory } from './keys/keyHistory';
import { keyScope, keyScopes, keyText } from './options';

const properties: INodeProperties[] = [
	{
		displayName:
			"Clears keys recorded by the option 'Deduplication Key' of Create, so that their posts can be published again. To clear keys with the scope Node, set the node that recorded them to Clear Deduplication Keys, run it once, and set it back.",
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

export async function begin(): Promise<Run> {
	return { concurrency: 1 };
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
	const scope = keyScopes.parse(context.getNodeParameter('keyScope', itemIndex, 'node'));
	const history = KeyHistory.of(context, scope);
	if ('failure' in history) return history;
	if (context.getNodeParameter('forget', itemIndex, 'one') === 'all') {
		await history.forgetAll();
		return { kind: 'accepted', value: { forgotten: 'all keys', scope } };
	}
	const given = context.getNodeParameter('key', itemIndex, '') as unknown;
	const { data: key, error } = keyText('is empty for this item').safeParse(given ?? '');
	if (error) {
		return invalid(
			itemIndex,
			error.issues.map(({ message }) => ({ field: 'Key', message })),
		);
	}
	await history.forget(key);
	return { kind: 'accepted', value: { forgotten: key, scope } };
}
