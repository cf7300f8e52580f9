import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

/** How far a key reaches. */
export const keyScopes = z.enum(['node', 'workflow'], "is neither 'node' nor 'workflow'");
export type KeyScope = z.infer<typeof keyScopes>;

/** The field for it, in Create and in Forget Keys. */
export const keyScope: INodeProperties = {
	displayName: 'Scope',
	name: 'keyScope',
	type: 'options',
	options: [
		{
			name: 'Node',
			value: 'node',
			description: 'Each node remembers its own keys',
		},
		{
			name: 'Workflow',
			value: 'workflow',
			description: 'All nodes of the workflow that choose this remember their keys together',
		},
	],
	default: 'node',
	description:
		'Which nodes share the keys. A copy of the node or of the workflow begins with none.',
};
