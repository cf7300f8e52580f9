import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { readSettings, type Settings } from '../nodes/SocialOpenPlatform/protocol/settings';

/** By the data as it was handed over; nothing is kept longer than that. */
const known = new WeakMap<ICredentialDataDecryptedObject, Settings>();

/**
 * Reads credential data, once for all the requests of a run that hand over the very same. n8n changes
 * nothing in it but the access token.
 *
 * @throws CredentialUnusable naming every field that cannot be used
 */
export function knownSettings(data: ICredentialDataDecryptedObject): Settings {
	const before = known.get(data);
	if (before && before.accessToken === data.accessToken) return before;
	const settings = readSettings(data);
	known.set(data, settings);
	return settings;
}
