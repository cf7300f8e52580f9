import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether another workflow called this one. The caller shows the errors of this one as its own. */
const isCalled = (context: IExecuteFunctions) => context.getMode() === 'integrated';

/**
 * Advice about retries. A retry of the execution that called this workflow calls it again, which
 * is a new execution. In the editor, users run the workflow again instead of retrying an execution.
 *
 * @param retry a sentence about a retry of this execution
 * @param other what another execution does if the posts have no keys
 */
function retryAdvice(context: IExecuteFunctions, retry: string, other: string): string {
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
export function howToRetry(context: IExecuteFunctions, hasSeveral: boolean): string {
	if (!hasSeveral && !isCalled(context)) return '';
	const retry = 'Retry this execution to send only the posts that were not accepted.';
	return retryAdvice(context, retry, 'sends all of them again.');
}

/** Says whether a post of unknown outcome is sent again. */
export function whenResent(context: IExecuteFunctions): string {
	const retry =
		"A retry of this execution does not send it again unless the setting 'Resend If Outcome Unknown' is on.";
	return retryAdvice(context, retry, 'may send it again.');
}
