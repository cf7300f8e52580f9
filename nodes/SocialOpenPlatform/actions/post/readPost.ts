import type { IExecuteFunctions } from 'n8n-workflow';
import { readSettings } from '../../protocol/settings';
import { readCredential } from '../../transport/credential';
import { preparePost, type PreparedPost } from './create.request';
import { readParameters } from './parameters';

/**
 * Reads one item's post: its fields, and from the credential the names they have on the wire.
 *
 * @throws CredentialUnusable when the credential cannot be used
 */
export async function readPost(this: IExecuteFunctions, itemIndex: number): Promise<PreparedPost> {
	const { fieldNames } = readSettings(await readCredential.call(this, itemIndex));
	return preparePost(readParameters.call(this, itemIndex), {
		now: new Date(),
		timezone: this.getTimezone(),
		fieldNames,
	});
}
