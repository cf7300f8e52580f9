import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { toText } from '../../../parameters/values';

/** How far a key reaches. */
export const keyScopes = z.enum(['node', 'workflow'], "is neither 'node' nor 'workflow'");
export type KeyScope = z.infer<typeof keyScopes>;

/**
 * A key. A number is the same key as the text of its digits.
 *
 * @param empty what is said where there is none
 */
export const keyText = (empty: string) =>
	z.preprocess(
		toText,
		z
			.string({
				error: ({ input }) =>
					typeof input === 'number'
						? 'is a number that has lost some of its digits; give it as text'
						: 'is neither text nor a number',
			})
			.refine((key) => key.trim() !== '', empty),
	);

/** The field for the scope, in Create and in Forget Keys. */
export const keyScope: INodeProperties = {
	displayName: 'Scope',
	name: 'keyScope',
	type: 'options',
	options: [
		{
			name: 'Node',
			value: 'node',
			description: 'This node remembers its keys for itself. A copy of the node begins with none.',
		},
		{
			name: 'Workflow',
			value: 'workflow',
			description:
				'Nodes of the workflow with this scope skip what any of them has posted. Not for a workflow whose Remove Duplicates nodes have this scope too: they use the same list.',
		},
	],
	default: 'node',
	description:
		'Which nodes share the keys: what one of them has posted, all of them skip. A copy of the workflow begins with none.',
};
