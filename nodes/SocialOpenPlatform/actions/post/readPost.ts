import type { IExecuteFunctions } from 'n8n-workflow';
import { readSettings } from '../../protocol/settings';
import { readCredential } from '../../transport/credential';
import { readPostFields } from './create.fields';
import { preparePost, type PreparedPost } from './create.request';

/**
 * Reads one item's post: its fields, and from the credential the names they have on the wire.
 *
 * @throws CredentialUnusable when the credential cannot be used
 */
export async function readPost(this: IExecuteFunctions, itemIndex: number): Promise<PreparedPost> {
	const { fieldNames } = readSettings(await readCredential.call(this, itemIndex));
	return preparePost(readPostFields.call(this, itemIndex), {
		now: new Date(),
		timezone: this.getTimezone(),
		fieldNames,
	});
}
