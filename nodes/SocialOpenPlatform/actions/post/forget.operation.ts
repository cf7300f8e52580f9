import { updateDisplayOptions, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { invalid, type Outcome } from '../../transport/outcome';
import type { Run } from '../run';
import { KeyHistory } from './keys/keyHistory';
import { keyScope, keyScopes, keyText } from './options';

const properties: INodeProperties[] = [
	{
		displayName:
			"Frees keys that the option 'Once Per Key' of Create has taken, so that their items can be posted again. Keys with the scope Node are freed by the very node that took them: set it to Forget Keys, run it once, and set it back.",
		name: 'forgetNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Forget',
		name: 'forget',
		type: 'options',
		options: [
			{
				name: 'All Keys',
				value: 'all',
				description:
					'Every key of the scope; with the scope Workflow also what Remove Duplicates nodes with that scope have seen',
			},
			{ name: 'One Key', value: 'one', description: 'The key of each item; the others stay taken' },
		],
		default: 'one',
		description:
			'Which keys are free after this node has run, so that their items can be posted again',
	},
	{
		displayName: 'Key',
		name: 'key',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.slug }}',
		description:
			"The key exactly as 'Once Per Key' had it, blanks and capitals included. A key that was never taken changes nothing.",
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
 * Frees one key, or all keys of a scope.
 *
 * @returns `forgotten`, the key or `all keys`, and `scope`
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
