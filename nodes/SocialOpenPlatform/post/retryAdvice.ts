import type { IExecuteFunctions } from 'n8n-workflow';
import { joinIssues } from '../items/parameters';
import { lines, unknown, type Failed, type Outcome } from '../platform/outcome';
import type { Clues, RecordedOutcome } from './ledger';
import { onOneLine, THE_POST, type Post } from './post';

export type Unknown = Extract<RecordedOutcome, { state: 'unknown' }>;

/** The facts about a request without a usable response. */
type Sent = Pick<Unknown, 'reason' | 'clues'>;

const NOT_SENT_AGAIN = 'It was not sent again.';

const IF_POSTED =
	"If the platform has it, set 'On Error' of this node to Continue and retry. The workflow then continues with the other posts.";

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
 * Advice after a failure that ends a run. A single post needs it in a called workflow, which may
 * have been called for other posts before.
 */
export function howToRetry(context: IExecuteFunctions, hasSeveral: boolean) {
	if (!hasSeveral && !isCalled(context)) return '';
	const retry = 'Retry this execution to send only the posts that were not accepted.';
	return retryAdvice(context, retry, 'sends all of them again.');
}

/** Says whether a post of unknown outcome is sent again. */
function whenResent(context: IExecuteFunctions) {
	const retry =
		"A retry of this execution does not send it again unless the setting 'Resend If Outcome Unknown' is on.";
	return retryAdvice(context, retry, 'may send it again.');
}

/** An outcome that is still unknown, because it was unknown before, if the post was not accepted now. */
export function orStillUnknown<T>(post: Post, before: Unknown, outcome: Outcome<T>): Outcome<T> {
	if (!('failure' in outcome) || outcome.kind === 'unknown') return outcome;
	const { kind, failure } = outcome;
	const { message, description, facts } = failure;
	if (kind !== 'invalid') {
		const next = lines(`Sending it again did not succeed. ${message}`, description);
		return unknownPost(post, before, next, true);
	}
	const issues = facts?.problems ? joinIssues(facts.problems) : message;
	const next = `This attempt did not publish it. In addition, ${issues}.`;
	return unknownPost(post, before, next, true);
}

/**
 * The failure of a post whose outcome is unknown since an earlier attempt, and which this attempt
 * does not send.
 */
export function notSentAgain(context: IExecuteFunctions, post: Post, before: Sent): Failed {
	const ifPosted = context.getMode() === 'retry' && IF_POSTED;
	return unknownPost(post, before, lines(NOT_SENT_AGAIN, whenResent(context), ifPosted), true);
}

/** The failure of a post that this attempt has sent without a usable response. */
export function sentWithoutResponse(context: IExecuteFunctions, post: Post, now: Sent): Failed {
	return unknownPost(post, now, whenResent(context), false);
}

function unknownPost(
	{ name = THE_POST }: Post,
	{ reason, clues }: Sent,
	next: string,
	isFromEarlierAttempt: boolean,
): Failed {
	const { kind, failure } = unknown(name, reason, howToFind(clues, next));
	const facts = { ...failure.facts, ...clues };
	return { kind, failure: { ...failure, facts, isFromEarlierAttempt } };
}

/**
 * Lines about how to find the post on the platform.
 *
 * @param next lines about what to do afterwards
 */
function howToFind({ sent_at, social_account_id, text_beginning }: Clues, next: string) {
	const when = sent_at ? `It was sent at ${sent_at}. ` : '';
	const account = social_account_id ? `account ${social_account_id}` : 'the account';
	const which = text_beginning ? `a post that begins “${onOneLine(text_beginning)}”` : 'it';
	return lines(`${when}Check on the platform whether ${account} has ${which}.`, next);
}
