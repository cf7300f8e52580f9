import type { Limiter } from '../../transport/limiter';
import { describeRateLimits, type ItemFailure } from '../run';

/** Names of the outcomes in a summary, in the order in which they are shown. */
const groups = {
	accepted: 'accepted',
	earlier: 'accepted earlier and not sent again',
	skipped: 'skipped because their key was posted before',
	refused: 'not accepted',
	unknown: 'unknown',
	left: 'not sent yet',
} as const;
type Group = keyof typeof groups;

/** The outcome of each item that did not fail. */
export type Tally = Map<number, Group>;

const NOT_PUBLISHED_YET = 'An accepted post may not be published yet.';
const RETRY =
	'Retry this execution to send only the posts that were not accepted. A new execution sends all of them again.';

interface RunFacts {
	tally: Tally;
	failures: ItemFailure[];
	items: number;
	/**
	 * Indexes of the items whose posts were accepted at any attempt, including items that this
	 * attempt did not reach.
	 */
	accepted: number[];
	limiter: Pick<Limiter, 'rateLimits'>;
}

/** Describes the outcomes of the posts of a run, and how long the run waited for rate limits. */
export function summaryOf({ tally, failures, items, accepted, limiter }: RunFacts): string {
	const groupOf = ({ kind }: ItemFailure) => (kind === 'unknown' ? 'unknown' : 'refused');
	const groupByItem = new Map<number, Group>([
		...accepted.map((item) => [item, 'earlier'] as const),
		...tally,
		...failures.map((failed) => [failed.itemIndex, groupOf(failed)] as const),
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
		describeRateLimits(limiter),
		found.includes('accepted') && NOT_PUBLISHED_YET,
		failures.length > 0 && RETRY,
	]
		.filter(Boolean)
		.join(' ');
}
