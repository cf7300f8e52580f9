import type { PostOutcome } from './faultsRecord';
import type { Execution } from '../n8n/rest';

/** The outcome of an output item. */
export interface ItemOutcome extends PostOutcome {
	item: number;
}

interface Item {
	json: Record<string, unknown>;
	pairedItem?: unknown;
}

const itemOf = ({ pairedItem }: Item): number => (pairedItem as { item: number }).item;

const outputOf = (execution: Execution, index: number): Item[] =>
	execution.runs.Post?.at(-1)?.data?.main[index] ?? [];

function outcomeOf({ json }: Item): PostOutcome {
	if (json.error === undefined) {
		return { outcome: 'accepted', action_sn: String(json.action_sn) };
	}
	const { outcome } = json.details as { outcome: PostOutcome['outcome'] };
	return { outcome };
}

/** The outcome of each item, in the order of the input. An item that was output twice is listed twice. */
export function outcomesIn(execution: Execution): ItemOutcome[] {
	return [...outputOf(execution, 0), ...outputOf(execution, 1)]
		.map((item) => ({ item: itemOf(item), ...outcomeOf(item) }))
		.sort((one, other) => one.item - other.item);
}

/** The items of an output that are before an item with a lower index. */
export function outOfOrder(execution: Execution): number[] {
	return [0, 1].flatMap((index) => {
		const order = outputOf(execution, index).map(itemOf);
		return order.filter((item, at) => at + 1 < order.length && item >= order[at + 1]!);
	});
}

/** Items with an unknown outcome that lack details for finding the post. */
export function withoutDetails(execution: Execution): number[] {
	return outputOf(execution, 1)
		.filter(({ json }) => (json.details as PostOutcome).outcome === 'unknown')
		.filter(({ json }) => {
			const { sent_at, social_account_id } = json.details as Record<string, unknown>;
			return Number.isNaN(Date.parse(String(sent_at))) || social_account_id !== 'acc_1';
		})
		.map(itemOf);
}
