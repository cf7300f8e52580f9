import type { Issue } from '../platform/issue';
import type { Limiter } from '../platform/limiter';
import { lines, joinIssues } from '../platform/outcome';
import { describeRateLimits, type ItemFailure, type Summary } from '../items/operation';
import { describeSchedule } from './publishTime';

/** Names of the outcomes in a summary, in the order in which they are shown. */
const groups = {
	accepted: 'accepted',
	failed: 'accepted but reported as failed or deleted',
	earlier: 'accepted earlier and not sent again',
	skipped: 'skipped because their key was used before',
	refused: 'not accepted',
	unknown: 'unknown',
	left: 'not sent yet',
} as const;
type Group = keyof typeof groups;

/** The outcome of each item that did not fail. */
export type Tally = Map<number, Group>;

const NOT_PUBLISHED_YET = ' An accepted post may not be published yet.';
const START_ANOTHER =
	'To send the posts that were not accepted, start a new execution with only their items.';
const CHECK_FIRST =
	'Check on the platform whether it has the posts whose outcome is unknown, before you send them again.';

/** What a user should know about a post that the platform has accepted. */
export interface PostNote {
	/** How messages name the post; undefined if it is the only one. */
	name?: string;
	warnings: Issue[];
	/** Unix time in milliseconds; undefined when the post is published at once. */
	publishAt?: number;
}

/** Maximum number of issues in a summary. */
const MAX_ISSUES = 5;

interface RunFacts {
	tally: Tally;
	notes: PostNote[];
	/** The time zone of the workflow. */
	timezone: string;
	failures: ItemFailure[];
	/** Whether the first failed item ends the run. */
	stops: boolean;
	itemCount: number;
	/**
	 * Indexes of the items whose posts were accepted at any attempt, including items that this
	 * attempt did not reach.
	 */
	accepted: number[];
	limiter: Pick<Limiter, 'rateLimits'>;
}

/**
 * Describes the outcomes of the posts of a run, when they are published, and how long the run
 * waited for rate limits.
 */
export function summaryOf(facts: RunFacts): Summary {
	const { tally, notes, timezone, failures, stops, itemCount, accepted, limiter } = facts;
	const groupByItem = new Map<number, Group>([
		...[...Array(itemCount).keys()].map((item) => [item, 'left'] as const),
		...accepted.map((item) => [item, 'earlier'] as const),
		...tally,
		...failures.map(
			({ itemIndex, kind }) => [itemIndex, kind === 'unknown' ? kind : 'refused'] as const,
		),
	]);
	const found = [...groupByItem.values()];
	const parts = Object.entries(groups).flatMap(([group, label]) => {
		const { length } = found.filter((one) => one === group);
		return length > 0 ? `${length} ${label}` : [];
	});
	const times = notes.flatMap(({ publishAt }) => publishAt ?? []);
	const text = lines(
		`Posts: ${parts.join(', ')}.${found.includes('accepted') ? NOT_PUBLISHED_YET : ''}`,
		describeSchedule(times, timezone),
		describeRateLimits(limiter),
		!stops && found.includes('refused') && START_ANOTHER,
		!stops && found.includes('unknown') && CHECK_FIRST,
	);
	const warnings = notes.flatMap(({ name, warnings: found }) =>
		found.map((issue) => ({ kind: 'Warning' as const, name, issue })),
	);
	return { text, warnings: describeIssues(warnings) };
}

interface FoundIssue {
	kind: 'Problem' | 'Warning';
	/** How messages name the post; undefined if it is the only one. */
	name?: string;
	issue: Issue;
}

/** Describes the first issues of the posts of a run, one per line. */
export function describeIssues(found: FoundIssue[]): string {
	const described = found
		.slice(0, MAX_ISSUES)
		.map(({ kind, name, issue }) => `${kind}${name ? ` in ${name}` : ''}: ${joinIssues([issue])}.`);
	const more = found.length - MAX_ISSUES;
	return lines(...described, more > 0 && `${more} more are not shown here.`);
}
