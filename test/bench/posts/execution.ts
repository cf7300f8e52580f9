import type { Rest } from '../../n8n/rest';

interface Listed {
	id: string;
	status: string;
	startedAt: string;
	stoppedAt: string | null;
}

/** The newest execution of a workflow without its data, which may be large. */
export async function latestExecution(rest: Rest, workflowId: string): Promise<Listed> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const path = `/rest/executions?limit=1&filter=${filter}`;
	const { results } = await rest.call<{ results: Listed[] }>('GET', path);
	if (!results[0]) throw new Error(`There is no execution of workflow ${workflowId}`);
	return results[0];
}

/** The duration of an execution according to n8n. */
export const secondsOf = ({ startedAt, stoppedAt }: Listed): number =>
	stoppedAt === null ? NaN : (Date.parse(stoppedAt) - Date.parse(startedAt)) / 1000;
