import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { CredentialUnusable, readSettings, type Settings } from '../protocol/settings';
import type { Caller } from './caller';
import { apiError, withoutCredential } from './errors';

/** The credential's type name: part of the users' file format. */
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

/** The credential as it is stored now; in queue mode another process may have changed it. */
export async function readCredential(this: Caller): Promise<ICredentialDataDecryptedObject> {
	return await this.getCredentials(CREDENTIAL_TYPE, 0);
}

/**
 * The credential's fields, checked.
 *
 * @param what what is to be asked for, as the object of a sentence: "the post"
 * @throws NodeApiError naming every field that cannot be used
 */
export function settingsOf(
	this: Caller,
	data: ICredentialDataDecryptedObject,
	what: string,
): Settings {
	try {
		return readSettings(data);
	} catch (error) {
		const why = error instanceof CredentialUnusable ? error.message : 'The credential is damaged.';
		throw apiError(this.getNode(), 0, withoutCredential(what, why));
	}
}
