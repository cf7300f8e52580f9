import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent calls the node. n8n gives it a type of its own then. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Whether the agent does not see the errors that its tools throw. Agents before version 3 call their
 * tools through n8n's context for sub-nodes, and pass an empty text to the model in place of an error.
 * With *Retry on Fail* the node still throws, because n8n retries only after an error.
 */
function isErrorLost(context: IExecuteFunctions): boolean {
	return isTool(context) && 'getNextRunIndex' in context && !context.getNode().retryOnFail;
}

/** Whether the first failed item ends the run. Otherwise failed items become items of the output. */
export function stopsAtFailure(context: IExecuteFunctions): boolean {
	return !context.continueOnFail() && !isErrorLost(context);
}
