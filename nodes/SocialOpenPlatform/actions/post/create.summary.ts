import type { Gate } from '../../transport/gate';
import type { NodeError } from '../itemError';
import { waited } from '../waited';

/** How the posts of a run are summed up, in this order. */
const groups = {
	accepted: 'accepted',
	earlier: 'accepted earlier and not sent again',
	skipped: 'skipped because their key was posted before',
	refused: 'not accepted',
	unknown: 'unknown',
	left: 'not sent yet',
} as const;
type Group = keyof typeof groups;

/** The group of each item that needed no error, by item. */
export type Tally = Map<number, Group>;

const NOT_PUBLISHED_YET = 'An accepted post may not be published yet.';
const RETRY =
	'Retry this execution to send only the posts that were not accepted. A new execution sends all of them again.';

function groupOf({ context }: NodeError): Group {
	const { outcome } = (context.data ?? {}) as { outcome?: string };
	return outcome === 'unknown' ? 'unknown' : 'refused';
}

/** What is known of the posts when a run ends. */
export interface RunFacts {
	tally: Tally;
	/** At most one for each item. */
	errors: NodeError[];
	items: number;
	/** Items whose posts were accepted at any attempt, including those that this one did not reach. */
	accepted: number[];
	gate: Pick<Gate, 'rateLimits'>;
}

/** Says after a run how its posts ended, and how long the rate limit made them wait. */
export function summaryOf({ tally, errors, items, accepted, gate }: RunFacts): string {
	const groupByItem = new Map([
		...accepted.map((item) => [item, 'earlier'] as const),
		...tally,
		...errors.map((error) => [error.context.itemIndex as number, groupOf(error)] as const),
	]);
	const found = [...groupByItem.values()];
	const counts = (Object.keys(groups) as Group[]).map((group) => ({
		group,
		count: group === 'left' ? items - found.length : found.filter((one) => one === group).length,
	}));
	const parts = counts
		.filter(({ count }) => count > 0)
		.map(({ group, count }) => `${count} ${groups[group]}`);
	return [
		`Posts: ${parts.join(', ')}.`,
		waited(gate),
		found.includes('accepted') && NOT_PUBLISHED_YET,
		errors.length > 0 && RETRY,
	]
		.filter(Boolean)
		.join(' ');
}
