import { type ICredentialDataDecryptedObject, type IHttpRequestOptions } from 'n8n-workflow';
import type { Answer } from '../protocol/answer';
import {
	CancelledBeforeSending,
	readConnectionError,
	sendingOf,
	strangers,
	type Followed,
	type Sending,
} from '../protocol/connection';
import { urlOf, type Operation } from '../protocol/endpoints';
import { redact } from '../protocol/redact';
import { CredentialUnusable } from '../protocol/settings';
import { NoAccessToken } from '../protocol/token';
import { heldExchange, type HeldExchange } from '../protocol/tokenMemory';
import type { Caller } from './caller';
import { CREDENTIAL_TYPE } from './credential';
import { apiError, notSent, withoutCredential, type Clues, type Failure } from './errors';
import type { Reception } from './reception';
import type { Session } from './session';
import { thrownIn } from './thrown';
import { watchedBody } from './watchedBody';
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
	/** Ends the request when nobody waits for the answer any more. */
	abandon?: AbortController;
	/** What is said when it was sent, and no answer tells what came of it. */
	unanswered: (reason: string, clues?: Clues) => Failure;
}

/** Nothing was sent: the platform asks to wait before it gives another token. */
export interface Held extends HeldExchange {
	kind: 'held';
	failure: Failure;
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
): Promise<Answer<T> | Held> {
	// n8n takes the marker of a refused token away.
	const { refusedToken = '' } = data;
	const secrets = () => session.secretsOf({ ...data, refusedToken });
	const exchangeTime = data.accessToken ? 0 : MAX_EXCHANGE_MS;
	const own = call.abandon ?? new AbortController();
	let isHandedOver = false;
	const handOver = () => {
		isHandedOver = true;
	};
	const sending: Sending = { signal: own.signal, handOver };
	const strangersBefore = strangers.handedOver;
	const options: IHttpRequestOptions & Followed = {
		...call.reception.options,
		[sendingOf]: sending,
		method: 'POST',
		url: urlOf(call.operation, session.settings),
		body: watchedBody(call.body, sending),
		timeout: call.timeout,
	};
	const responding = async () => {
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
		// n8n's own timeout starts again with every byte that comes. Where that one ends a request, its
		// error tells how far the request had come.
		return await within(call.timeout + exchangeTime + LEEWAY_MS, responding());
	} catch (error) {
		// An n8n that hands a copy of the options to the credential makes a stranger of the request.
		const mayBeHandedOver = isHandedOver || strangers.handedOver > strangersBefore;
		const progress = { mayBeHandedOver, request: sending.request };
		const failure = redact(withoutAnswer(call, error, progress), secrets());
		const held = mayBeHandedOver ? undefined : heldExchange(session.settings);
		if (held) return { kind: 'held', failure: heldFailure(failure, held), ...held };
		// Whatever n8n still does for it, nothing may leave from here on.
		own.abort();
		throw apiError(this.getNode(), itemIndex, failure);
	}
}

/** A token exchange before the request has 20 seconds of its own, and n8n then stores the token. */
const MAX_EXCHANGE_MS = 25_000;

/** By how much n8n's timeout comes first, in milliseconds. */
const LEEWAY_MS = 250;

/** Of a message of n8n's own, in characters. */
const MAX_QUOTED = 300;

function heldFailure({ facts, ...words }: Failure, { retryAfter }: HeldExchange): Failure {
	return { ...words, facts: { ...facts, retry_after: retryAfter } };
}

/** How far a request has come. */
interface Progress extends Pick<Sending, 'request'> {
	/** False only where the credential has certainly not handed it to n8n's HTTP client. */
	mayBeHandedOver: boolean;
}

/** Which of n8n's HTTP client and the credential threw, and whether the request had left by then. */
function withoutAnswer(
	{ what, unanswered }: PlatformCall<unknown>,
	error: unknown,
	{ mayBeHandedOver, request }: Progress,
): Failure {
	const thrown = thrownIn(error);
	if (thrown.errorCode === NoAccessToken.code || thrown.errorCode === CredentialUnusable.code) {
		return withoutCredential(what, thrown.message ?? '');
	}
	if (thrown.errorCode === CancelledBeforeSending.code) {
		return notSent(what, 'the execution was cancelled', 'Run it again when it is wanted.');
	}
	if (!mayBeHandedOver) {
		const reason = `n8n could not prepare the request (${thrown.message?.slice(0, MAX_QUOTED)})`;
		return notSent(what, reason, "Look into n8n's log, and whether its database works.");
	}
	const { mayHaveArrived, reason, advice } = readConnectionError(thrown, request);
	return mayHaveArrived ? unanswered(reason, { advice }) : notSent(what, reason, advice);
}
