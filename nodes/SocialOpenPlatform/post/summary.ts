import type { IExecuteFunctions } from 'n8n-workflow';
import { forPerson, stopsAtFailure } from '../items/agentTool';
import { describeIssues } from '../items/parameters';
import { describeRateLimits, type ItemFailure, type Run, type Summary } from '../items/run';
import type { Limiter } from '../platform/limiter';
import { type Failed, failed, type Issue, lines, type Outcome } from '../platform/outcome';
import { cluesOf, digestOf, Ledger, type Clues, type UnknownPost } from './ledger';
import { onOneLine, THE_POST, type Post, type PostReader } from './post';
import { describeSchedule, describeTime } from './publishTime';

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

const SEE_VALIDATE = 'To see the exact request without sending it, use the operation Validate.';

const NOT_SENT_AGAIN = 'It was not sent again.';

const IF_POSTED =
	"If the platform has it, set 'On Error' of this node to Continue and retry. The workflow then continues with the other posts.";

const IF_MISSING =
	"If the platform does not have it, use 'Clear Deduplication Keys', or turn on 'Resend If Outcome Unknown', and send it again.";

/** The reason of a post with a key that was taken before. */
export const SENT_BEFORE =
	'it, or another post with the same key, was sent before, and no usable response arrived';

const OTHER_RETRY = 'another retry of this execution sent it and got no usable response';

const OTHER_RETRY_SENT = 'Not posted, because another retry of this execution published it.';

/** The facts about an accepted post that its user should know. */
interface PostNote {
	/** The name of the post in messages; undefined if it is the only one. */
	name?: string;
	warnings: Issue[];
	/** The time as in `post_date`; undefined when the post is published at once. */
	date?: string;
}

/** The objects that the posts of one run share, and their outcomes. */
export class PostRun implements Run {
	readonly session;

	readonly ledger;

	readonly itemCount;

	/** The outcome of each item that did not fail. */
	private readonly groups = new Map<number, Group>();

	/** The notes about accepted posts, by the indexes of their items. */
	private readonly notes: PostNote[] = [];

	/** Whether a retry would send posts. The value is known after the summary. */
	hasPostsLeft = true;

	constructor(
		readonly context: IExecuteFunctions,
		readonly limiter: Limiter,
		readonly reader: PostReader,
	) {
		this.session = reader.session;
		this.ledger = new Ledger(context, digestOf(this.session.settings.appId));
		this.itemCount = context.getInputData().length;
	}

	/** Counts the posts that are to be sent. The ledger contains those that earlier attempts have sent. */
	countPosts(resendUnknown: boolean) {
		const { ledger, itemCount } = this;
		if (ledger.size === 0) return itemCount;
		const isToBeSent = (itemIndex: number) => {
			const known = ledger.find(ledger.identify(itemIndex));
			return !known || (known.state === 'unknown' && resendUnknown);
		};
		return [...Array(itemCount).keys()].filter(isToBeSent).length;
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
			...[...Array(this.itemCount).keys()].map((item) => {
				return [item, ledger.wasAccepted(item) ? 'earlier' : 'left'] as const;
			}),
			...this.groups,
			...failures.map(
				({ itemIndex, kind }) => [itemIndex, kind === 'unknown' ? kind : 'refused'] as const,
			),
		]);
		const found = [...groupByItem.values()];
		this.hasPostsLeft = found.includes('refused') || found.includes('left');
		const parts = Object.entries(groupLabels).flatMap(([group, label]) => {
			const { length } = found.filter((one) => one === group);
			return length > 0 ? `${length} ${label}` : [];
		});
		const times = notes.flatMap(({ date }) => (date ? Date.parse(date) : []));
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

/** The failure of a post with issues. */
export function issuesOf(context: IExecuteFunctions, { name, issues }: Post): Failed | undefined {
	return issues.length > 0
		? failed.invalid(name, issues, forPerson(context, SEE_VALIDATE))
		: undefined;
}

/** Whether another workflow called this one. The caller shows the errors of this one as its own. */
const isCalled = (context: IExecuteFunctions) => context.getMode() === 'integrated';

/**
 * Advice about retries. A retry of the execution that called this workflow calls it again, which
 * is a new execution. In the editor, users run the workflow again instead of retrying an execution.
 *
 * @param retry a sentence about a retry of this execution
 * @param other the effect of another execution if the posts have no keys
 */
function retryAdvice(context: IExecuteFunctions, retry: string, other: string) {
	const isNested = isCalled(context);
	const name = `execution ${context.getExecutionId()} of this workflow`;
	const ofThis = isNested ? retry.replace('this execution', name) : retry;
	const another = isNested ? 'A retry of the execution that called it' : 'A new execution';
	const hasKeys = 'oncePerKey' in Object(context.getNode().parameters.options);
	return [context.getMode() !== 'manual' && ofThis, !hasKeys && `${another} ${other}`]
		.filter(Boolean)
		.join(' ');
}

/**
 * Returns advice after a failure that ends a run. For a single post, advice is needed only in a
 * called workflow, which may have been called for other posts before.
 */
export function howToRetry(context: IExecuteFunctions, run?: PostRun) {
	const hasSeveral = (run?.itemCount ?? 1) > 1;
	if (!hasSeveral && !isCalled(context)) return '';
	const others = hasSeveral ? 'All other posts were accepted.' : '';
	const retry =
		run?.hasPostsLeft === false
			? others
			: 'Retry this execution to send only the posts that were not accepted.';
	return retryAdvice(context, retry, 'sends all of them again.');
}

/** Says whether a post of unknown outcome is sent again. */
function whenResent(context: IExecuteFunctions, { options }: Post) {
	const retry = options.resendUnknown
		? "A retry of this execution sends it again, because 'Resend If Outcome Unknown' is on."
		: "A retry of this execution does not send it again unless the option 'Resend If Outcome Unknown' is on.";
	return retryAdvice(context, retry, 'may send it again.');
}

/**
 * The outcome of a post that was not accepted now. It stays `unknown` if its earlier outcome was
 * unknown.
 */
export function orStillUnknown(post: Post, outcome: Outcome<object>): Outcome<object> {
	const { earlier } = post;
	if (!earlier || !('failure' in outcome) || outcome.kind === 'unknown') return outcome;
	const { message, description } = outcome.failure;
	// The advice about an invalid item says that nothing was sent, but an earlier attempt may have.
	const advice = outcome.kind !== 'invalid' && description;
	return unknownPost(post, earlier, lines(`This attempt did not publish it. ${message}`, advice));
}

/**
 * The failure of a post whose outcome is unknown since an earlier attempt, and which this attempt
 * does not send.
 */
export function notSentAgain(context: IExecuteFunctions, post: Post, earlier: UnknownPost): Failed {
	const ifPosted = context.getMode() === 'retry' && IF_POSTED;
	return unknownPost(post, earlier, lines(NOT_SENT_AGAIN, whenResent(context, post), ifPosted));
}

/** The outcome of a post whose key was used before, and which is not sent. */
export function keyUsed(run: PostRun, post: Post, state: 'accepted' | 'unknown'): Outcome<object> {
	const { itemIndex, values } = post;
	const { oncePerKey: key } = post.options;
	if (state === 'unknown') {
		const before = { state, clues: cluesOf(values) };
		return key === undefined
			? notSentAgain(run.context, post, { ...before, reason: OTHER_RETRY })
			: unknownPost(post, { ...before, reason: SENT_BEFORE }, lines(NOT_SENT_AGAIN, IF_MISSING));
	}
	if (key === undefined) {
		run.record(itemIndex, 'earlier');
		return { kind: 'accepted', value: { skipped: true, note: OTHER_RETRY_SENT } };
	}
	run.record(itemIndex, 'skipped');
	const note = `Not posted, because the key '${key}' was posted before. If the platform has reported that this post failed, use 'Clear Deduplication Keys', then post it again.`;
	return { kind: 'accepted', value: { skipped: true, note, key } };
}

/** The failure of a post that this attempt has sent without a usable response. */
export function sentWithoutResponse(
	context: IExecuteFunctions,
	post: Post,
	now: UnknownPost,
	sent: Failed,
): Failed {
	return unknownPost(post, now, whenResent(context, post), sent);
}

/**
 * The failure of a post of unknown outcome.
 *
 * @param next lines about what to do afterwards
 * @param sent the failure of this attempt; absent if the outcome is unknown since an earlier one
 */
function unknownPost(
	post: Post,
	{ reason, clues }: UnknownPost,
	next: string,
	sent?: Failed,
): Failed {
	const { name: what = THE_POST, options } = post;
	const { oncePerKey: key } = options;
	const { kind, failure } = sent ?? failed.unknown({ operation: 'createPost', what }, reason);
	const facts = { ...failure.facts, ...clues, ...(key !== undefined && { key }) };
	const description = howToFind(post, clues, next);
	return { kind, failure: { ...failure, description, facts, isFromEarlierAttempt: !sent } };
}

/** Lines about how to find the post on the platform, and about what to do afterwards. */
function howToFind(
	{ accountName, timezone }: Post,
	{ sent_at, social_account_id: id, text_beginning }: Clues,
	next: string,
) {
	const when = sent_at ? `It was sent on ${describeTime(sent_at, timezone).text}. ` : '';
	const account = !id
		? 'the account'
		: accountName
			? `account “${accountName}” (${id})`
			: `account ${id}`;
	const which = text_beginning ? `a post that begins “${onOneLine(text_beginning)}”` : 'it';
	return lines(`${when}Check on the platform whether ${account} has ${which}.`, next);
}
