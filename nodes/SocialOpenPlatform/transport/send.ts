import {
	OperationalError,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import type { z } from 'zod/v4';
import { readAnswer, type Answer } from '../protocol/answer';
import { readConnectionError, type ConnectionError } from '../protocol/connection';
import { urlOf, type Operation } from '../protocol/endpoints';
import { toHttpAnswer, wholeAnswer, type WholeResponse } from '../protocol/httpAnswer';
import { redact } from '../protocol/redact';
import { CredentialUnusable, readSettings } from '../protocol/settings';
import { NoAccessToken } from '../protocol/token';
import { CREDENTIAL_TYPE } from './credential';
import { apiError, notSent, unknown, withoutCredential, type Failure } from './errors';

/** One call of a business operation. */
export interface PlatformCall<T> {
	operation: Operation;
	body: Record<string, unknown>;
	/** What a success carries in `data`. */
	data: z.ZodType<T>;
	/** Milliseconds to wait for the answer. */
	timeout: number;
	/** What is asked for, as the object of a sentence: "the post". */
	what: string;
	/** How to find out whether it happened when no answer says so. */
	lookUp: string;
}

/**
 * The only HTTP call of the nodes: sends a request once and says what the answer means, secrets taken
 * out of it.
 *
 * @param data the credential's data; n8n gets a token when its `accessToken` is empty, and leaves the
 * token that was used in it
 * @throws NodeApiError when no answer came
 */
export async function send(
	this: IExecuteFunctions,
	itemIndex: number,
	call: PlatformCall<unknown>,
	data: ICredentialDataDecryptedObject,
): Promise<Answer> {
	const before = secretsOf(data);
	const secrets = () => [...before, ...secretsOf(data)];
	const exchangeTime = data.accessToken ? 0 : MAX_EXCHANGE_MS;
	let response: unknown;
	try {
		const options: IHttpRequestOptions = {
			...wholeAnswer,
			method: 'POST',
			url: urlOf(call.operation, readSettings(data)),
			body: call.body,
			timeout: call.timeout,
		};
		const sent = this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL_TYPE, options, {
			credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data },
		});
		// n8n's own timeout starts again with every byte that comes.
		response = await Promise.race([sent, deadline(call.timeout + exchangeTime)]);
	} catch (error) {
		const failure = redact(withoutAnswer(call, error), secrets());
		throw apiError(this.getNode(), itemIndex, failure);
	}
	return readAnswer(toHttpAnswer(response as WholeResponse), secrets());
}

/** A token exchange before the request has 20 seconds of its own, and n8n then stores the token. */
const MAX_EXCHANGE_MS = 25_000;

/** Rejects as a timeout does, after so many milliseconds. It keeps no process alive. */
async function deadline(ms: number): Promise<never> {
	return await new Promise((_, reject) => {
		AbortSignal.timeout(ms).addEventListener('abort', () => {
			reject(new OperationalError('timeout: the whole answer did not come in time'));
		});
	});
}

/** The secrets a request may carry, or an answer to it may repeat. */
function secretsOf(data: ICredentialDataDecryptedObject): string[] {
	const { appSecret, accessToken, refusedToken } = data;
	return [appSecret, accessToken, refusedToken].filter((secret) => typeof secret === 'string');
}

/** n8n wraps what its HTTP client or the credential threw; the cause tells which of them it was. */
function withoutAnswer({ what, lookUp }: PlatformCall<unknown>, error: unknown): Failure {
	const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
	if (cause instanceof NoAccessToken || cause instanceof CredentialUnusable) {
		return withoutCredential(what, cause.message);
	}
	const { mayHaveArrived, reason, advice } = readConnectionError(cause as ConnectionError);
	return mayHaveArrived ? unknown(what, reason, lookUp) : notSent(what, reason, advice);
}
