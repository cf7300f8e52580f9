import type { Fate } from './faultsRecord';
import type { Execution } from '../n8n/rest';

/** What the node says of its items, at both outputs. */

export interface Told extends Fate {
	item: number;
}

interface Item {
	json: Record<string, unknown>;
	pairedItem?: unknown;
}

const itemOf = ({ pairedItem }: Item): number => (pairedItem as { item: number }).item;

const outputOf = (execution: Execution, index: number): Item[] =>
	execution.runs.Post?.at(-1)?.data?.main[index] ?? [];

function fateOf({ json }: Item): Fate {
	if (json.error === undefined) {
		return { outcome: 'accepted', action_sn: String(json.action_sn) };
	}
	const { outcome } = json.details as { outcome: Fate['outcome'] };
	return { outcome };
}

/** What came of each item, in the order of the input; an item that came out twice is there twice. */
export function fatesIn(execution: Execution): Told[] {
	return [...outputOf(execution, 0), ...outputOf(execution, 1)]
		.map((item) => ({ item: itemOf(item), ...fateOf(item) }))
		.sort((one, other) => one.item - other.item);
}

/** The items that come out of an output before one that was put in earlier. */
export function outOfOrder(execution: Execution): number[] {
	return [0, 1].flatMap((index) => {
		const order = outputOf(execution, index).map(itemOf);
		return order.filter((item, at) => at + 1 < order.length && item >= order[at + 1]!);
	});
}

/** Items whose outcome is unknown, without what one needs to look them up. */
export function withoutClues(execution: Execution): number[] {
	return outputOf(execution, 1)
		.filter(({ json }) => (json.details as Fate).outcome === 'unknown')
		.filter(({ json }) => {
			const { sent_at, social_account_id } = json.details as Record<string, unknown>;
			return Number.isNaN(Date.parse(String(sent_at))) || social_account_id !== 'acc_1';
		})
		.map(itemOf);
}
