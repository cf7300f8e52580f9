import {
	OperationalError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import type { Answer } from '../protocol/answer';
import {
	CancelledBeforeSending,
	readConnectionError,
	requestTracker,
	untrackedRequests,
	type ConnectionError,
	type RequestTracker,
	type Tracked,
} from '../protocol/connection';
import { usesToken, urlOf, type Operation } from '../protocol/endpoints';
import { redact } from '../protocol/redact';
import { CredentialUnusable } from '../protocol/settings';
import { NoAccessToken } from '../protocol/token';
import { cachedTokens, exchangePause, type ExchangePause } from './tokenCache';
import { credentialUnusable, noToken, notSent, type NotSent } from './outcome';
import type { ResponseFormat } from './response';
import { CREDENTIAL_TYPE, type Session } from './session';
import { watchedBody } from './watchedBody';

export interface PlatformRequest<T> {
	operation: Operation;
	body: Record<string, unknown>;
	format: ResponseFormat<T>;
	/** Milliseconds to wait for the whole response, or for the start of a streamed one. */
	timeout: number;
	/** Secrets in the body. */
	secrets?: readonly string[];
	/** How messages name the request, such as "the post". */
	what: string;
	/** Whether the request changes nothing on the platform. */
	isSafeToRepeat?: boolean;
	/** Aborts the request. Without it, the request is over when `send` returns. */
	abort?: AbortController;
}

/**
 * The result of sending a request. `pause` is set if the request was not sent because the platform
 * asks to wait before it issues another token.
 */
export type SendResult<T> = Answer<T> | (NotSent & { pause?: ExchangePause });

/**
 * Milliseconds that a token exchange before the request may take: 20 seconds for the exchange
 * itself, and the rest for storing the token.
 */
const MAX_EXCHANGE_MS = 25_000;

/** Milliseconds that are added to the timeout, so that n8n's own timeout ends the request first. */
const LEEWAY_MS = 250;

/** Maximum length of a message of n8n in our own message. */
const MAX_QUOTED = 300;

/**
 * Sends a request once and reads the response. This is the only HTTP call to the platform. The
 * result contains no secrets.
 *
 * @param data the credential of the session. If its `accessToken` is empty, n8n fetches a token and
 * stores it in this object.
 */
export async function send<T>(
	session: Session,
	request: PlatformRequest<T>,
	data: ICredentialDataDecryptedObject,
): Promise<SendResult<T>> {
	const { context, settings } = session;
	// The credential's `preAuthentication` removes this token from `data`, so it is kept here.
	const { rejectedToken = '' } = data;
	const secrets = () => {
		const ofSession = session.secretsOf({ ...data, rejectedToken });
		return request.secrets?.length ? [...ofSession, ...request.secrets] : ofSession;
	};
	const exchangeMs = data.accessToken ? 0 : MAX_EXCHANGE_MS;
	const abort = request.abort ?? new AbortController();
	let isAuthenticated = false;
	const onAuthenticated = () => {
		isAuthenticated = true;
	};
	const tracker: RequestTracker = { signal: abort.signal, onAuthenticated };
	const untrackedBefore = untrackedRequests.count;
	const options: IHttpRequestOptions & Tracked = {
		...request.format.options,
		[requestTracker]: tracker,
		method: 'POST',
		url: urlOf(request.operation, settings),
		body: watchedBody(request.body, tracker),
		timeout: request.timeout,
	};
	const sendAndRead = async () => {
		const response: unknown = await context.helpers.httpRequestWithAuthentication.call(
			context,
			CREDENTIAL_TYPE,
			options,
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data } },
		);
		return await request.format.read(response, secrets());
	};
	try {
		// This timeout is needed because n8n's own timeout starts again with every byte. If n8n's
		// timeout ends the request, its error shows how far the request had come.
		const answer = await withTimeout(request.timeout + exchangeMs + LEEWAY_MS, sendAndRead());
		// Without this, n8n keeps the connection of a body that was not read to its end.
		if (!request.abort) abort.abort();
		return answer;
	} catch (error) {
		// `onAuthenticated` is not called if n8n passes a copy of the options to the credential.
		const mayHaveStarted = isAuthenticated || untrackedRequests.count > untrackedBefore;
		// If n8n cannot store a new token, its error message may contain this token.
		const hidden = [...secrets(), ...cachedTokens(settings)];
		const thrown = originalErrorOf(error);
		const message = redact(thrown.message ?? '', hidden);
		const answer = readError({ thrown, message, mayHaveStarted }, request.what, tracker);
		const needsToken = !mayHaveStarted && usesToken(request.operation);
		const pause = needsToken ? exchangePause(settings) : undefined;
		if (pause && answer.kind === 'not_sent') {
			const facts = { ...answer.failure.facts, retry_after: pause.retryAfter };
			const cause = { cause: 'rate-limited', retryAfterMs: pause.requestedMs } as const;
			return { ...answer, failure: { ...answer.failure, facts, cause }, pause };
		}
		// n8n may still be preparing the request, which must not be sent any more.
		abort.abort();
		return answer;
	}
}

interface FailedSending {
	thrown: Thrown;
	/** The message of the error, without secrets. */
	message: string;
	/** False only if n8n's HTTP client certainly has not received the request. */
	mayHaveStarted: boolean;
}

/**
 * Finds out whether the credential or n8n's HTTP client threw an error, and whether the request had
 * been sent.
 */
function readError(
	{ thrown, message, mayHaveStarted }: FailedSending,
	what: string,
	{ request }: RequestTracker,
): NotSent | Extract<Answer<never>, { kind: 'unknown' }> {
	if (thrown.errorCode === CredentialUnusable.code) return credentialUnusable(what, message);
	if (thrown.errorCode === NoAccessToken.code) return noToken(what, message);
	if (thrown.errorCode === CancelledBeforeSending.code) {
		const advice = 'Run the workflow again if needed.';
		return notSent(what, 'the execution was cancelled', advice);
	}
	if (!mayHaveStarted) {
		const reason = `n8n could not prepare the request (${message.slice(0, MAX_QUOTED)})`;
		const advice = "Check n8n's log and its database.";
		return notSent(what, reason, advice);
	}
	const { mayHaveArrived, isTemporary, reason, advice } = readConnectionError(thrown, request);
	if (!mayHaveArrived) {
		const cause = isTemporary ? ({ cause: 'temporarily-unavailable' } as const) : undefined;
		return notSent(what, reason, advice, cause);
	}
	return { kind: 'unknown', reason, advice };
}

/** The parts of an error of n8n's HTTP client or of the credential that n8n keeps. */
interface Thrown extends ConnectionError {
	/** The code of one of this package's own errors. */
	errorCode?: string;
}

/**
 * Finds the original error inside the error that n8n throws. n8n 2 keeps it as the cause. n8n 1
 * keeps its message as the first of the messages, and its code as the HTTP code.
 */
export function originalErrorOf(error: unknown): Thrown {
	if (!(error instanceof Error)) return { message: String(error) };
	if (error.cause instanceof Error) return error.cause;
	const { httpCode, messages } = error as { httpCode?: string | null; messages?: string[] };
	if (!messages) return error;
	const code = httpCode ?? undefined;
	return { code, errorCode: code, message: messages[0] ?? error.message };
}

/**
 * Rejects with a timeout error if a promise is not settled in time. The timer keeps no reference to
 * a settled promise, because its response must not stay in memory until the timer ends.
 */
export async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
	const timer = AbortSignal.timeout(ms);
	return await new Promise((resolve, reject) => {
		const timedOut = () => {
			reject(new OperationalError('timeout: the complete response did not arrive in time'));
		};
		timer.addEventListener('abort', timedOut);
		promise.finally(() => timer.removeEventListener('abort', timedOut)).then(resolve, reject);
	});
}
