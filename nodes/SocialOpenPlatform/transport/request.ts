import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';
import type { Answer } from '../protocol/answer';
import type { Envelope } from '../protocol/envelope';
import { readSettings } from '../protocol/settings';
import { readCredential } from './credential';
import { apiError, refused, unknown, type Failure } from './errors';
import { send, type PlatformCall } from './send';

/**
 * Asks the platform for something and returns its answer.
 *
 * @throws NodeApiError saying whether the platform refused, was not asked, or may have done it
 */
export async function request<T extends object>(
	this: IExecuteFunctions,
	itemIndex: number,
	call: PlatformCall<T>,
): Promise<{ envelope: Envelope; data: T }> {
	const answer = await sendWithRenewal.call(this, itemIndex, call);
	const fail = (failure: Failure) => apiError(this.getNode(), itemIndex, failure);
	if (answer.kind === 'refusal') throw fail(refused(call.what, answer));
	if (answer.kind === 'unclear') {
		throw fail(unknown(call.what, answer.reason, call.lookUp, answer.status));
	}
	const { envelope } = answer;
	const data = call.data.safeParse(envelope.data);
	if (data.success) return { envelope, data: data.data };
	const reason = 'the answer reports success, but not what came of it';
	throw fail(unknown(call.what, reason, call.lookUp));
}

/**
 * A token that the platform refuses, by HTTP 401 or inside HTTP 200, is replaced once and the request
 * sent again: a refused token means that nothing was done. A newer token that someone else has stored
 * meanwhile is used as it is, because yet another would end that one.
 */
async function sendWithRenewal(
	this: IExecuteFunctions,
	itemIndex: number,
	call: PlatformCall<unknown>,
): Promise<Answer> {
	const stored = await readCredential.call(this, itemIndex);
	const data = stored.accessToken ? { ...stored } : renewing(stored, '');
	const answer = await send.call(this, itemIndex, call, data);
	if (!isTokenRefused(answer, data)) return answer;
	const current = await readCredential.call(this, itemIndex);
	const isNewer = Boolean(current.accessToken) && current.accessToken !== data.accessToken;
	const renewed = isNewer ? { ...current } : renewing(current, data.accessToken ?? '');
	return await send.call(this, itemIndex, call, renewed);
}

/** Credential data that makes n8n get a token, and tells which one the platform refused. */
function renewing(
	data: ICredentialDataDecryptedObject,
	refusedToken: ICredentialDataDecryptedObject[string],
): ICredentialDataDecryptedObject {
	return { ...data, accessToken: '', refusedToken };
}

function isTokenRefused(answer: Answer, data: ICredentialDataDecryptedObject): boolean {
	if (answer.kind !== 'refusal') return false;
	const { status, code } = answer;
	return status === 401 || (typeof code === 'number' && readSettings(data).renewalCodes.has(code));
}
