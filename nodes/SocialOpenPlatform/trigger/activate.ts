import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';
import { readParameters } from './parameters';
import { readCredential } from './settings';

/**
 * Looks whether the trigger can judge what it will receive; the platform itself is told by hand.
 *
 * @throws NodeOperationError naming what to change, so that the workflow is not activated
 */
export async function assertReady(this: IHookFunctions): Promise<boolean> {
	try {
		readParameters(this);
		await readCredential(this);
	} catch (error) {
		throw new NodeOperationError(this.getNode(), (error as Error).message, {
			description:
				'Change it in the trigger or in its credential, then activate the workflow again.',
		});
	}
	return true;
}
