import { type ICredentialDataDecryptedObject, type IHttpRequestOptions } from 'n8n-workflow';
import type { Answer } from '../protocol/answer';
import {
	CancelledBeforeSending,
	ownSignal,
	readConnectionError,
	type Abandonable,
} from '../protocol/connection';
import { urlOf, type Operation } from '../protocol/endpoints';
import { redact } from '../protocol/redact';
import { CredentialUnusable } from '../protocol/settings';
import { NoAccessToken } from '../protocol/token';
import type { Caller } from './caller';
import { CREDENTIAL_TYPE } from './credential';
import { apiError, notSent, withoutCredential, type Clues, type Failure } from './errors';
import type { Reception } from './reception';
import type { Session } from './session';
import { thrownIn } from './thrown';
import { within } from './within';

/** One call of an operation. */
export interface PlatformCall<T> {
	operation: Operation;
	body: Record<string, unknown>;
	reception: Reception<T>;
	/** Milliseconds to wait for the answer. */
	timeout: number;
	/** What is asked for, as the object of a sentence: "the post". */
	what: string;
	/** Lets go of the connection when nobody waits for the answer any more. Left out: n8n does, in time. */
	abandon?: AbortController;
	/** What is said when it was sent, and no answer tells what came of it. */
	unanswered: (reason: string, clues?: Clues) => Failure;
}

/**
 * The only HTTP call of the nodes: sends a request once and says what the answer means, secrets taken
 * out of it.
 *
 * @param data the session's credential; n8n gets a token when its `accessToken` is empty, and puts it
 * there
 * @throws NodeApiError when no answer came
 */
export async function send<T>(
	this: Caller,
	itemIndex: number,
	call: PlatformCall<T>,
	session: Session,
	data: ICredentialDataDecryptedObject,
): Promise<Answer<T>> {
	// n8n takes the marker of a refused token away.
	const { refusedToken = '' } = data;
	const secrets = () => session.secretsOf({ ...data, refusedToken });
	const exchangeTime = data.accessToken ? 0 : MAX_EXCHANGE_MS;
	const options: IHttpRequestOptions & Abandonable = {
		...call.reception.options,
		[ownSignal]: call.abandon?.signal,
		method: 'POST',
		url: urlOf(call.operation, session.settings),
		body: call.body,
		timeout: call.timeout,
	};
	const sending = async () => {
		const response: unknown = await this.helpers.httpRequestWithAuthentication.call(
			this,
			CREDENTIAL_TYPE,
			options,
			{
				credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data },
			},
		);
		return await call.reception.read(response, secrets());
	};
	try {
		// n8n's own timeout starts again with every byte that comes.
		return await within(call.timeout + exchangeTime, sending());
	} catch (error) {
		call.abandon?.abort();
		const failure = redact(withoutAnswer(call, error), secrets());
		throw apiError(this.getNode(), itemIndex, failure);
	}
}

/** A token exchange before the request has 20 seconds of its own, and n8n then stores the token. */
const MAX_EXCHANGE_MS = 25_000;

/** Which of n8n's HTTP client and the credential threw, and whether the request had left by then. */
function withoutAnswer({ what, unanswered }: PlatformCall<unknown>, error: unknown): Failure {
	const thrown = thrownIn(error);
	if (thrown.errorCode === NoAccessToken.code || thrown.errorCode === CredentialUnusable.code) {
		return withoutCredential(what, thrown.message ?? '');
	}
	if (thrown.errorCode === CancelledBeforeSending.code) {
		return notSent(what, 'the execution was cancelled', 'Run it again when it is wanted.');
	}
	const { mayHaveArrived, reason, advice } = readConnectionError(thrown);
	return mayHaveArrived ? unanswered(reason, { advice }) : notSent(what, reason, advice);
}
