import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { ReceivedRequest } from '../../emulator';
import type { NodeResult } from './engine';

/** Returns the parameters of a node that posts each item's text. */
export const eachText = (options: IDataObject = {}): IDataObject => ({
	text: '={{ $json.text }}',
	options,
});

/** Returns a text whose number has two digits, so that no text is the beginning of another one. */
export const textOf = (index: number) => `post ${String(index).padStart(2, '0')}.`;

export const itemsOf = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ text: textOf(index) }));

/** Returns the texts of posts in the given order. */
export const textsOf = (requests: Array<{ body?: unknown; request?: unknown }>) =>
	requests.map(({ body, request }) => ((body ?? request) as { text: string }).text);

/** Returns the JSON of each output item. */
export const jsonOf = ({ outputs }: Pick<NodeResult, 'outputs'>): IDataObject[] =>
	(outputs[0] ?? []).map(({ json }: INodeExecutionData) => json);

/** Returns the milliseconds from the first arrival to the last one. */
export function spanOf(requests: ReceivedRequest[]): number {
	const arrivals = requests.map(({ at }) => Date.parse(at));
	return Math.max(...arrivals) - Math.min(...arrivals);
}
