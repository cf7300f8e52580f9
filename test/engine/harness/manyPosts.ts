import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { ReceivedRequest } from '../../emulator';
import type { NodeResult } from './engine';

/** Parameters of a node that posts each item's text. */
export const eachText = (options: IDataObject = {}): IDataObject => ({
	text: '={{ $json.text }}',
	options,
});

/** Two digits each, so that no text is the beginning of another. */
export const textOf = (index: number) => `post ${String(index).padStart(2, '0')}.`;

export const itemsOf = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ text: textOf(index) }));

/** Which posts they are, in the order given. */
export const textsOf = (requests: Array<{ body?: unknown; request?: unknown }>) =>
	requests.map(({ body, request }) => ((body ?? request) as { text: string }).text);

/** For those who look at what the platform answered for each item. */
export const jsonOf = ({ outputs }: Pick<NodeResult, 'outputs'>): IDataObject[] =>
	(outputs[0] ?? []).map(({ json }: INodeExecutionData) => json);

/** Requests that were certainly on their way together, when each took so many milliseconds or more. */
export function mostAtOnce(requests: ReceivedRequest[], tookMs: number): number {
	const arrivals = requests.map(({ at }) => Date.parse(at));
	const together = arrivals.map(
		(from) => arrivals.filter((at) => at >= from && at < from + tookMs).length,
	);
	return Math.max(0, ...together);
}

/** Milliseconds from the first arrival to the last. */
export function spanOf(requests: ReceivedRequest[]): number {
	const arrivals = requests.map(({ at }) => Date.parse(at));
	return Math.max(...arrivals) - Math.min(...arrivals);
}
