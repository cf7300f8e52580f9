import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent calls the node: n8n gives it a type of its own then. */
export function isTool(this: IExecuteFunctions): boolean {
	return this.getNode().type.endsWith('Tool');
}

/**
 * Whether the agent would never learn what the node throws: those before version 3 call their tools
 * themselves, as n8n's context for sub-nodes tells, and give the model an empty text for an error.
 * Where the user wants retries, only an error brings them about.
 */
export function mustNotThrow(this: IExecuteFunctions): boolean {
	return isTool.call(this) && 'getNextRunIndex' in this && !this.getNode().retryOnFail;
}
