import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

/** The credential's type name: part of the users' file format. */
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

/** The credential as it is stored now; in queue mode another process may have changed it. */
export async function readCredential(
	this: IExecuteFunctions,
	itemIndex: number,
): Promise<ICredentialDataDecryptedObject> {
	return await this.getCredentials(CREDENTIAL_TYPE, itemIndex);
}
