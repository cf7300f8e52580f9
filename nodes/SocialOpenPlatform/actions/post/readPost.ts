import type { IExecuteFunctions } from 'n8n-workflow';
import { CredentialUnusable, readSettings, type Settings } from '../../protocol/settings';
import { readCredential } from '../../transport/credential';
import { apiError, withoutCredential } from '../../transport/errors';
import { preparePost, type PreparedPost } from './create.request';
import { readParameters } from './parameters';

/**
 * Reads one item's post: its fields, and from the credential the names they have on the wire.
 *
 * @throws NodeApiError when the credential cannot be used
 */
export async function readPost(this: IExecuteFunctions, itemIndex: number): Promise<PreparedPost> {
	const { fieldNames } = await readItemSettings.call(this, itemIndex);
	return preparePost(readParameters.call(this, itemIndex), {
		now: new Date(),
		timezone: this.getTimezone(),
		fieldNames,
	});
}

async function readItemSettings(this: IExecuteFunctions, itemIndex: number): Promise<Settings> {
	const data = await readCredential.call(this, itemIndex);
	try {
		return readSettings(data);
	} catch (error) {
		const why = error instanceof CredentialUnusable ? error.message : 'The credential is damaged.';
		throw apiError(this.getNode(), itemIndex, withoutCredential('the post', why));
	}
}
