import type { IExecuteContextData } from 'n8n-workflow';
import type { NodeResult } from './engine';

interface Entry {
	state: 'accepted' | 'unknown' | 'refused';
	[fact: string]: unknown;
}

/** What the node's context says of its posts, by run and item; of all applications. */
export function ledgerOf(contextData: IExecuteContextData): Record<string, Entry> {
	const { posts = {} } = (contextData['node:Post'] ?? {}) as { posts?: Record<string, object> };
	return Object.assign({}, ...Object.values(posts)) as Record<string, Entry>;
}

export const statesOf = ({ contextData }: Pick<NodeResult, 'contextData'>) =>
	Object.fromEntries(
		Object.entries(ledgerOf(contextData)).map(([place, { state }]) => [place, state]),
	);

/** The execution is retried from the list: what n8n stores of it, as JSON, is where it begins. */
export const retryOf = ({ contextData }: Pick<NodeResult, 'contextData'>) => ({
	contextData: JSON.parse(JSON.stringify(contextData)) as IExecuteContextData,
	mode: 'retry' as const,
	executionId: `retry-${retries++}`,
});

let retries = 0;

/** Three tries, one right after the other. */
export const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
