import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent calls the node: n8n gives it a type of its own then. */
export function isTool(this: IExecuteFunctions): boolean {
	return this.getNode().type.endsWith('Tool');
}
