import type { IExecuteContextData } from 'n8n-workflow';
import type { NodeResult } from './engine';

interface Entry {
	state: 'accepted' | 'unknown' | 'refused';
	[fact: string]: unknown;
}

/** The ledger in the node's context, by run and item, for all applications together. */
export function ledgerOf(contextData: IExecuteContextData): Record<string, Entry> {
	const { posts = {} } = (contextData['node:Post'] ?? {}) as { posts?: Record<string, object> };
	return Object.assign({}, ...Object.values(posts)) as Record<string, Entry>;
}

export const statesOf = ({ contextData }: Pick<NodeResult, 'contextData'>) =>
	Object.fromEntries(
		Object.entries(ledgerOf(contextData)).map(([place, { state }]) => [place, state]),
	);

/** Options that retry an execution from the list, with the context data that n8n stores as JSON. */
export const retryOf = ({ contextData }: Pick<NodeResult, 'contextData'>) => ({
	contextData: JSON.parse(JSON.stringify(contextData)) as IExecuteContextData,
	mode: 'retry' as const,
	executionId: `retry-${retries++}`,
});

let retries = 0;

/** Three attempts without a pause. */
export const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
