import type { IExecuteFunctions } from 'n8n-workflow';
import { forPerson, stopsAtFailure } from '../items/agentTool';
import { describeIssues } from '../items/parameters';
import type { FailedItem, Run, Summary } from '../items/run';
import type { Limiter } from '../platform/limiter';
import { type Failed, failed, lines, type Outcome } from '../platform/outcome';
import { digestOf, Ledger, type Clues, type UnknownOutcome } from './ledger';
import { THE_POST, type Post, type PostReader } from './post';
import { describeTime } from './publishTime';

/** Labels of the outcomes in a summary, in the order in which they are shown. */
const groupLabels = {
	accepted: 'accepted',
	failed: 'accepted but reported as failed or deleted',
	earlier: 'accepted earlier and not sent again',
	skipped: 'skipped because their key was used before',
	notAccepted: 'not accepted',
	unknown: 'unknown',
	left: 'not sent yet',
} as const;
type Group = keyof typeof groupLabels;

const NOT_PUBLISHED_YET = ' An accepted post may not be published yet.';
const START_ANOTHER =
	'To send the other posts, start a new execution with only their items. First check on the platform whether it has those whose outcome is unknown.';

const SEE_VALIDATE = 'To see the exact request without sending it, use the operation Validate.';

const IF_POSTED =
	"If the platform has it, set 'On Error' of this node to Continue and retry. The workflow then continues with the other posts.";

const IF_MISSING =
	"If the platform does not have it and no execution is still sending it, use 'Clear Deduplication Keys' and start the workflow again, or turn on 'Resend If Outcome Unknown' and send it again.";

/** The reason for an unknown outcome that is recorded with the post's key, not in the ledger. */
export const SENT_BEFORE =
	'it, or another post with the same key, was sent before or is still being sent, and no usable response arrived';

const OTHER_RETRY_SENT = 'Not posted, because another retry of this execution posted it.';

/** The objects that the posts of one run share, and the outcomes of these posts. */
export class PostRun implements Run {
	readonly session;

	readonly ledger;

	readonly itemCount;

	/** The outcomes by item index. */
	private readonly groups = new Map<number, Group>();

	/** The posts that the platform accepted in this attempt, by item index. */
	private readonly accepted: Post[] = [];

	/** Whether posts are left that were certainly not accepted. `summary` sets this value. */
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

	/** Counts the posts that, according to the ledger, are still to be sent. */
	countPosts(resendUnknown: boolean) {
		const { ledger, itemCount } = this;
		if (ledger.size === 0) return itemCount;
		const isToBeSent = (itemIndex: number) => {
			const known = ledger.find(ledger.identify(itemIndex));
			return !known || (known.state === 'unknown' && resendUnknown);
		};
		return [...Array(itemCount).keys()].filter(isToBeSent).length;
	}

	/**
	 * Counts an item's outcome in the summary.
	 *
	 * @param post the post, if the platform accepted it at this attempt
	 */
	count(itemIndex: number, group: Group, post?: Post) {
		this.groups.set(itemIndex, group);
		if (post) this.accepted[itemIndex] = post;
	}

	/**
	 * Describes the outcomes of the run's posts, and how long the run waited for rate limits. Posts
	 * that were accepted at earlier attempts count even if this attempt did not reach their items.
	 */
	summary(failures: FailedItem[]): Summary {
		const { context, ledger, limiter, groups } = this;
		for (const { itemIndex, kind } of failures) {
			this.count(itemIndex, kind === 'unknown' ? kind : 'notAccepted');
		}
		const found = [...Array(this.itemCount).keys()].map((item) => {
			const state = ledger.stateOf(item);
			return groups.get(item) ?? (state === 'accepted' ? 'earlier' : (state ?? 'left'));
		});
		this.hasPostsLeft = found.includes('notAccepted') || found.includes('left');
		const parts = Object.entries(groupLabels).flatMap(([group, label]) => {
			const { length } = found.filter((one) => one === group);
			return length > 0 ? `${length} ${label}` : [];
		});
		const accepted = this.accepted.filter(Boolean);
		const waited = Math.round(limiter.rateLimitMs / 1000);
		const text = lines(
			`Posts: ${parts.join(', ')}.${found.includes('accepted') ? NOT_PUBLISHED_YET : ''}`,
			waited > 0 && `Waited ${waited} s for the platform's rate limit.`,
			failures.length > 0 && !stopsAtFailure(context) && START_ANOTHER,
		);
		const warnings = accepted.flatMap(({ name, warnings: all }) =>
			all.map((issue) => ({ kind: 'Warning' as const, name, issue })),
		);
		return { text, warnings: describeIssues(warnings) };
	}
}

/** Returns a failure if a post has issues. */
export function invalidPost(
	context: IExecuteFunctions,
	{ name, issues }: Post,
): Failed | undefined {
	return issues.length > 0
		? failed.invalid(name, issues, forPerson(context, SEE_VALIDATE))
		: undefined;
}

/**
 * Returns advice about retries. The advice contains the ID of the execution, because the execution
 * of a calling workflow also shows the advice. For a manual execution, the advice does not mention
 * a retry, because users run the workflow again instead.
 *
 * @param retry what a retry of this execution does, or false to omit this advice
 * @param other what any other execution does if the posts have no keys
 */
function retryAdvice(context: IExecuteFunctions, retry: string | false, other: string) {
	const hasKeys = 'oncePerKey' in Object(context.getNode().parameters.options);
	return lines(
		retry &&
			context.getMode() !== 'manual' &&
			`A retry of execution ${context.getExecutionId()} ${retry}.`,
		!hasKeys && `Any other execution, also a retry of one that calls this workflow, ${other}.`,
	);
}

/**
 * Returns advice after a failure that ends a run. A single post needs advice only in a called
 * workflow, because a retry of the calling execution may send other posts again.
 */
export function howToRetry(context: IExecuteFunctions, run?: PostRun) {
	const isSingle = (run?.itemCount ?? 1) === 1;
	if (isSingle && context.getMode() !== 'integrated') return '';
	const isDone = run?.hasPostsLeft === false;
	const retry = !isDone && 'sends only the posts that were not accepted';
	return lines(
		isDone && !isSingle && 'All posts whose outcome is known were accepted.',
		retryAdvice(context, retry, 'sends all of them again'),
	);
}

/** Returns advice about when a post with an unknown outcome is resent. */
export function whenResent(context: IExecuteFunctions) {
	const retry = "sends it again only if the option 'Resend If Outcome Unknown' is on";
	return retryAdvice(context, retry, 'may send it again');
}

/**
 * Returns the outcome of a post after an attempt. If an earlier attempt left the outcome unknown
 * and this attempt fails, the outcome stays unknown.
 */
export function orStillUnknown(post: Post, outcome: Outcome<object>): Outcome<object> {
	const { earlier } = post;
	if (!earlier || !('failure' in outcome) || outcome.kind === 'unknown') return outcome;
	const { message, description } = outcome.failure;
	// The description of an invalid item is omitted. It says that nothing was sent, but an earlier
	// attempt may have sent the post.
	const advice = outcome.kind !== 'invalid' && description;
	return unknownFailure(
		post,
		earlier,
		lines(`This attempt did not publish it. ${message}`, advice),
	);
}

/** Creates the failure for a post that is not resent because an earlier outcome is unknown. */
export function notSentAgain(context: IExecuteFunctions, post: Post): Failed {
	const next = post.options.oncePerKey === undefined ? whenResent(context) : IF_MISSING;
	const ifPosted = context.getMode() === 'retry' && IF_POSTED;
	return unknownFailure(post, post.earlier!, lines('It was not sent again.', next, ifPosted));
}

/**
 * Records that a post is skipped because a post with its key was accepted before. Returns the
 * item's output.
 */
export function skipped(run: PostRun, { itemIndex, options }: Post): Outcome<object> {
	const { oncePerKey: key } = options;
	const hasKey = key !== undefined;
	run.count(itemIndex, hasKey ? 'skipped' : 'earlier');
	const note = hasKey
		? `Not posted, because the key '${key}' was posted before. If the platform has reported that this post failed, use 'Clear Deduplication Keys', then post it again.`
		: OTHER_RETRY_SENT;
	return { kind: 'accepted', value: { skipped: true, note, ...(hasKey && { key }) } };
}

/**
 * Creates the failure for a post with an unknown outcome. Lines about how to find the post replace
 * the advice of `sent`.
 *
 * @param next lines about what to do next
 * @param sent the failure of this attempt, if it left the outcome unknown
 */
export function unknownFailure(
	post: Post,
	{ reason, clues }: UnknownOutcome,
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

/**
 * Returns lines about how to find the post on the platform, and what to do next. The model of an AI
 * agent gets only the first line.
 */
function howToFind(
	{ accounts, timezone }: Post,
	{ sent_at, social_account_id: id, text_beginning }: Clues,
	next: string,
) {
	const when = sent_at ? `It was sent on ${describeTime(sent_at, timezone).text}. ` : '';
	const name = accounts.get(id!);
	const account = name ? `account “${name}” (${id})` : `account ${id}`;
	const which = text_beginning ? `a post that begins “${text_beginning}”` : 'it';
	return lines(`${when}Check on the platform whether ${account} has ${which}.`, next);
}
