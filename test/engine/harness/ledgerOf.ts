import type { IExecuteContextData } from 'n8n-workflow';
import type { NodeResult } from './engine';

interface Entry {
	state: 'accepted' | 'unknown';
	[fact: string]: unknown;
}

/** Returns the ledger in the node's context by run and item, with all applications merged. */
export function ledgerOf(contextData: IExecuteContextData): Record<string, Entry> {
	const { posts = {} } = (contextData['node:Post'] ?? {}) as { posts?: Record<string, object> };
	return Object.assign({}, ...Object.values(posts)) as Record<string, Entry>;
}

export const statesOf = ({ contextData }: Pick<NodeResult, 'contextData'>) =>
	Object.fromEntries(
		Object.entries(ledgerOf(contextData)).map(([place, { state }]) => [place, state]),
	);

/** Returns the options that retry an execution, with its context data as n8n stores it. */
export const retryOf = ({ contextData }: Pick<NodeResult, 'contextData'>) => ({
	contextData: JSON.parse(JSON.stringify(contextData)) as IExecuteContextData,
	mode: 'retry' as const,
	executionId: `retry-${retries++}`,
});

let retries = 0;

/** Settings for three attempts without a pause. */
export const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
