import { parse, stringify } from 'flatted';
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

/** The size of a stored execution in bytes. */
export interface StoredSize {
	items: number;
	all: number;
	/** Without the data that the nodes keep for retries. */
	withoutLedger: number;
}

/** @param raw the execution as n8n stores it */
export function storedSizeOf(raw: string, items: number): StoredSize {
	const data = parse(raw) as { executionData?: { contextData?: object } };
	if (!data.executionData?.contextData) throw new Error('The execution has no data for retries');
	data.executionData.contextData = {};
	const size = (text: string) => Buffer.byteLength(text);
	return { items, all: size(raw), withoutLedger: size(stringify(data)) };
}
