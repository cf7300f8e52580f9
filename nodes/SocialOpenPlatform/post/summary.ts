import type { IExecuteFunctions } from 'n8n-workflow';
import { describeIssues, type Issue } from '../items/parameters';
import {
	describeRateLimits,
	isTool,
	stopsAtFailure,
	type ItemFailure,
	type Run,
	type Summary,
} from '../items/run';
import type { Limiter } from '../platform/limiter';
import { lines } from '../platform/outcome';
import { digestOf, Ledger } from './ledger';
import { describeSchedule } from './publishTime';
import type { PostReader } from './post';

/** Names of the outcomes in a summary, in the order in which they are shown. */
const groupLabels = {
	accepted: 'accepted',
	failed: 'accepted but reported as failed or deleted',
	earlier: 'accepted earlier and not sent again',
	skipped: 'skipped because their key was used before',
	refused: 'not accepted',
	unknown: 'unknown',
	left: 'not sent yet',
} as const;
type Group = keyof typeof groupLabels;

const NOT_PUBLISHED_YET = ' An accepted post may not be published yet.';
const START_ANOTHER =
	'To send the posts that were not accepted, start a new execution with only their items.';
const CHECK_FIRST =
	'Check on the platform whether it has the posts whose outcome is unknown, before you send them again.';

/** The facts about an accepted post that its user should know. */
interface PostNote {
	/** The name of the post in messages; undefined if it is the only one. */
	name?: string;
	warnings: Issue[];
	/** Unix time in milliseconds; undefined when the post is published at once. */
	publishAt?: number;
}

/** The objects that the posts of one run share, and their outcomes. */
export class PostRun implements Run {
	readonly session;

	/** Whether an AI agent calls the node. */
	readonly isTool;

	/** Identifies the application. */
	readonly app;

	readonly ledger;

	readonly itemCount;

	/** The outcome of each item that did not fail. */
	private readonly groups = new Map<number, Group>();

	/** By the indexes of the items. */
	private readonly notes: PostNote[] = [];

	constructor(
		readonly context: IExecuteFunctions,
		readonly limiter: Limiter,
		readonly reader: PostReader,
	) {
		this.session = reader.session;
		this.isTool = isTool(context);
		this.app = digestOf(this.session.settings.appId);
		this.ledger = new Ledger(context, this.app);
		this.itemCount = context.getInputData().length;
	}

	/** Counts the posts that are to be sent. The ledger contains those that earlier attempts have sent. */
	countPosts(resendUnknown: boolean) {
		const isToBeSent = (itemIndex: number) => {
			const known = this.ledger.find(this.ledger.identify(itemIndex));
			return !known || (known.state === 'unknown' && resendUnknown);
		};
		return [...Array(this.itemCount).keys()].filter(isToBeSent).length;
	}

	/** Records the outcome of an item that did not fail, for the summary. */
	record(itemIndex: number, group: Group, note?: PostNote) {
		this.groups.set(itemIndex, group);
		if (note) this.notes[itemIndex] = note;
	}

	/**
	 * Describes the outcomes of the posts of the run, when they are published, and how long the run
	 * waited for rate limits. Posts that were accepted at any attempt count, including items that
	 * this attempt did not reach.
	 */
	summary(failures: ItemFailure[]): Summary {
		const { ledger, notes, limiter, context } = this;
		const groupByItem = new Map<number, Group>([
			...[...Array(this.itemCount).keys()].map((item) => [item, 'left'] as const),
			...ledger.acceptedItems().map((item) => [item, 'earlier'] as const),
			...this.groups,
			...failures.map(
				({ itemIndex, kind }) => [itemIndex, kind === 'unknown' ? kind : 'refused'] as const,
			),
		]);
		const found = [...groupByItem.values()];
		const parts = Object.entries(groupLabels).flatMap(([group, label]) => {
			const { length } = found.filter((one) => one === group);
			return length > 0 ? `${length} ${label}` : [];
		});
		const times = notes.flatMap(({ publishAt }) => publishAt ?? []);
		const stops = stopsAtFailure(context);
		const text = lines(
			`Posts: ${parts.join(', ')}.${found.includes('accepted') ? NOT_PUBLISHED_YET : ''}`,
			times.length > 0 && describeSchedule(times, context.getTimezone()),
			describeRateLimits(limiter),
			!stops && found.includes('refused') && START_ANOTHER,
			!stops && found.includes('unknown') && CHECK_FIRST,
		);
		const warnings = notes.flatMap(({ name, warnings: all }) =>
			all.map((issue) => ({ kind: 'Warning' as const, name, issue })),
		);
		return { text, warnings: describeIssues(warnings) };
	}
}
