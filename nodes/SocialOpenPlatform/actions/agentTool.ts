import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Whether an AI agent calls the node. For this use, n8n gives the node another type, which ends in
 * 'Tool'.
 */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Whether the agent does not receive the errors that its tools throw. Agents before version 3 call
 * their tools through n8n's context for sub-nodes, and pass an empty text to the model in place of
 * an error. With *Retry on Fail* the node still throws, because n8n retries only after an error.
 */
function isErrorLost(context: IExecuteFunctions): boolean {
	return isTool(context) && 'getNextRunIndex' in context && !context.getNode().retryOnFail;
}

/** Whether the first failed item ends the run. Otherwise, failed items are part of the output. */
export function stopsAtFailure(context: IExecuteFunctions): boolean {
	return !context.continueOnFail() && !isErrorLost(context);
}
