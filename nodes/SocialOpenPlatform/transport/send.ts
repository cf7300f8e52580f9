import {
	OperationalError,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import type { z } from 'zod/v4';
import { readAnswer, type Answer } from '../protocol/answer';
import {
	CancelledBeforeSending,
	readConnectionError,
	type ConnectionError,
} from '../protocol/connection';
import { urlOf, type Operation } from '../protocol/endpoints';
import { toHttpAnswer, wholeAnswer, type WholeResponse } from '../protocol/httpAnswer';
import { redact } from '../protocol/redact';
import { CredentialUnusable } from '../protocol/settings';
import { NoAccessToken } from '../protocol/token';
import { CREDENTIAL_TYPE } from './credential';
import { apiError, notSent, unknown, withoutCredential, type Failure, type LookUp } from './errors';
import type { Session } from './session';

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
	lookUp: () => LookUp;
}

/**
 * The only HTTP call of the nodes: sends a request once and says what the answer means, secrets taken
 * out of it.
 *
 * @param data the session's credential; n8n gets a token when its `accessToken` is empty, and puts it
 * there
 * @throws NodeApiError when no answer came
 */
export async function send(
	this: IExecuteFunctions,
	itemIndex: number,
	call: PlatformCall<unknown>,
	session: Session,
	data: ICredentialDataDecryptedObject,
): Promise<Answer> {
	// n8n takes the marker of a refused token away.
	const { refusedToken = '' } = data;
	const secrets = () => session.secretsOf({ ...data, refusedToken });
	const exchangeTime = data.accessToken ? 0 : MAX_EXCHANGE_MS;
	const options: IHttpRequestOptions = {
		...wholeAnswer,
		method: 'POST',
		url: urlOf(call.operation, session.settings),
		body: call.body,
		timeout: call.timeout,
	};
	let response: unknown;
	try {
		const sent = this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL_TYPE, options, {
			credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data },
		});
		// n8n's own timeout starts again with every byte that comes.
		response = await within(call.timeout + exchangeTime, sent);
	} catch (error) {
		const failure = redact(withoutAnswer(call, error), secrets());
		throw apiError(this.getNode(), itemIndex, failure);
	}
	return readAnswer(toHttpAnswer(response as WholeResponse), secrets());
}

/** A token exchange before the request has 20 seconds of its own, and n8n then stores the token. */
const MAX_EXCHANGE_MS = 25_000;

/**
 * What was promised, or after so many milliseconds an error as of a timeout. The timer lets go of
 * what came in time: an answer must not stay in memory for as long as it might have taken.
 */
async function within<T>(ms: number, promised: Promise<T>): Promise<T> {
	const timer = AbortSignal.timeout(ms);
	return await new Promise((resolve, reject) => {
		const tooLate = () => {
			reject(new OperationalError('timeout: the whole answer did not come in time'));
		};
		timer.addEventListener('abort', tooLate);
		promised.finally(() => timer.removeEventListener('abort', tooLate)).then(resolve, reject);
	});
}

/** n8n wraps what its HTTP client or the credential threw; the cause tells which of them it was. */
function withoutAnswer({ what, lookUp }: PlatformCall<unknown>, error: unknown): Failure {
	const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
	if (cause instanceof NoAccessToken || cause instanceof CredentialUnusable) {
		return withoutCredential(what, cause.message);
	}
	if (cause instanceof CancelledBeforeSending) {
		return notSent(what, 'the execution was cancelled', 'Run it again when it is wanted.');
	}
	const { mayHaveArrived, reason, advice } = readConnectionError(cause as ConnectionError);
	return mayHaveArrived ? unknown(what, reason, lookUp()) : notSent(what, reason, advice);
}
