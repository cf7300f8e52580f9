import {
	OperationalError,
	sleep,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import { readWhole, responseOptions, type ResponseReader, type StreamedResponse } from './response';
import { isTokenRejected, waitBefore } from './codes';
import { readConnectionError, type ConnectionError } from './connection';
import type { Limiter } from './limiter';
import {
	failed,
	FIX_CREDENTIAL,
	stopped,
	type Failed,
	type Outcome,
	type RequestKind,
	type Result,
} from './outcome';
import { redact } from './redact';
import { CREDENTIAL_TYPE, type Session } from './session';
import { CredentialUnusable, tokenIn, urlOf, usesToken } from './settings';
import { exchangeFailure } from './token';

interface PlatformRequest<T> extends RequestKind {
	body: Record<string, unknown>;
	read: ResponseReader<T>;
	/** Milliseconds to wait for the whole response. */
	timeout: number;
	/** Secrets in the body. */
	secrets?: readonly string[];
}

/** The objects that the requests of one run share. */
export interface Connection {
	session: Session;
	limiter: Limiter;
}

/** The content of a request, and secrets in it. */
type RequestContent = Pick<PlatformRequest<never>, 'body' | 'secrets'>;

export interface RepeatableRequest<T> extends Omit<PlatformRequest<T>, keyof RequestContent> {
	/**
	 * Milliseconds to wait in total for rate limits. If it is 0, the first rate limit is the outcome.
	 */
	rateLimitWait: number;
	/**
	 * Creates the content, each time right before the request is sent. After this call, the
	 * platform may have accepted the request.
	 *
	 * @returns the content, or the outcome of a request that must not be sent
	 */
	content: () => Promise<RequestContent | Failed>;
	/**
	 * Called when the platform has not accepted the request because of a rate limit, and the request
	 * will be sent again.
	 */
	onRateLimit?: () => void;
}

/** Maximum number of times that a request is sent because of rate limits. */
const MAX_SENDS = 10;

/**
 * Maximum number of access tokens with which a request is sent. With fewer, posts are refused when
 * two processes replace an expired token at the same time and revoke each other's new token.
 */
const MAX_TOKENS = 4;

/** Longest wait after the second rejected token, in milliseconds. */
const MAX_TOKEN_WAIT_MS = 2_000;

/** Milliseconds for a token exchange: 20 seconds for the exchange itself, and the rest for storing. */
const MAX_EXCHANGE_MS = 25_000;

/** Milliseconds that are added to the timeout, so that n8n's own timeout ends the request first. */
const LEEWAY_MS = 250;

/**
 * Sends the request of a task that the limiter runs. A request that the platform rejects because of
 * a rate limit was not accepted: it is sent again after the whole run has paused. The same applies
 * to a request without a token while the platform issues no tokens because of a rate limit.
 */
export async function sendRequest<T>(
	{ session, limiter }: Connection,
	itemIndex: number,
	request: RepeatableRequest<T>,
): Promise<Outcome<T>> {
	let timeLeft = request.rateLimitWait;
	for (let sends = 1; ; sends++) {
		if (!(await limiter.waitForStart(itemIndex))) return stopped;
		const content = await request.content();
		if ('failure' in content) return content;
		const outcome = await sendWithToken(session, { ...request, ...content });
		const wait = waitAfter(outcome, sends);
		if (wait === undefined || timeLeft <= 0 || wait > timeLeft || sends === MAX_SENDS) {
			return outcome;
		}
		request.onRateLimit?.();
		timeLeft -= wait;
		limiter.pauseUntil(performance.now() + wait);
	}
}

/**
 * Milliseconds to wait after a rate limit before the request is sent again.
 *
 * @returns undefined if there was no rate limit
 */
function waitAfter(outcome: Outcome<unknown>, sends: number) {
	if (!('failure' in outcome)) return undefined;
	const { cause } = outcome.failure;
	if (cause?.cause !== 'rate-limited') return undefined;
	return waitBefore(cause.retryAfterMs, sends, Math.random());
}

/**
 * Sends a request. If the platform rejects its token, the request had no effect, and is sent again
 * with another token.
 */
async function sendWithToken<T>(session: Session, request: PlatformRequest<T>): Promise<Result<T>> {
	if (!usesToken(request.operation)) {
		return await send(session, request, session.credentialWithoutExchange());
	}
	for (let tokens = 1; ; tokens++) {
		const { data, settings } = session;
		const outcome =
			(await fetchToken(session, request.what, data)) ?? (await send(session, request, data));
		if (tokens === MAX_TOKENS || outcome.kind !== 'refused') return outcome;
		const { http_status, code } = outcome.failure.facts ?? {};
		if (!isTokenRejected({ status: http_status, code }, settings)) return outcome;
		// A random wait lets one of two processes store its token before the other one looks for it.
		await sleep((tokens - 1) * Math.random() * MAX_TOKEN_WAIT_MS);
		await session.replaceToken(data.accessToken as string);
	}
}

/**
 * Sends a request once and reads the response. This is the only HTTP call to the platform. The
 * result contains no secrets.
 *
 * @param data the credential of the session
 */
async function send<T>(
	session: Session,
	request: PlatformRequest<T>,
	data: ICredentialDataDecryptedObject,
): Promise<Result<T>> {
	const { operation, what } = request;
	if (session.context.getExecutionCancelSignal()?.aborted) {
		return failed.notSent(what, 'the execution was cancelled', 'Run the workflow again if needed.');
	}
	const abort = new AbortController();
	const own = session.secretsOf(data);
	const secrets = request.secrets ? [...own, ...request.secrets] : own;
	const sendAndRead = async () => {
		const response = await sendWithCredential(session, data, abort.signal, {
			...responseOptions,
			method: 'POST',
			url: urlOf(operation, session.settings),
			// The HTTP client would copy a plain object, without fields that have names such as
			// `constructor`. With this tag, it sends the object itself, and JSON leaves the tag out.
			body: { ...request.body, [Symbol.toStringTag]: 'Object' },
			timeout: request.timeout,
		});
		const { settings } = session;
		return await readWhole(response as StreamedResponse, request.read, {
			operation,
			what,
			settings,
			secrets,
		});
	};
	try {
		// This timeout is needed because n8n's own timeout starts again with every byte. If n8n's
		// timeout ends the request, its error shows how far the request had come.
		return await withTimeout(request.timeout + LEEWAY_MS, sendAndRead());
	} catch (error) {
		const thrown = originalErrorOf(error);
		if (thrown.errorCode === CredentialUnusable.code) {
			return failed.credentialUnusable(what, redact(thrown.message ?? '', secrets));
		}
		return failed.noResponse(request, readConnectionError(thrown));
	} finally {
		// n8n may still be preparing the request, which must not be sent any more, and it keeps the
		// connection of a body that was not read to its end.
		abort.abort();
	}
}

/**
 * Fetches a token before a request, unless the credential contains one for its application. The
 * request then has its whole timeout for itself.
 *
 * @param data receives the token
 */
async function fetchToken(session: Session, what: string, data: ICredentialDataDecryptedObject) {
	const { settings } = session;
	if (tokenIn(data.accessToken, settings)) return undefined;
	data.accessToken = '';
	// n8n fetches and stores a token before it sends this request, which is aborted from the start.
	const sending = sendWithCredential(session, data, AbortSignal.abort(), {
		url: settings.baseUrl.href,
	});
	const error: unknown = await withTimeout(MAX_EXCHANGE_MS, sending).catch(
		(thrown: unknown) => thrown,
	);
	// The token can be used even if n8n could not store it.
	if (data.accessToken) return undefined;
	const { message = '' } = originalErrorOf(error);
	const failure = exchangeFailure(settings, message) ?? { description: FIX_CREDENTIAL };
	const { reason, description = '', cause } = failure;
	if (reason) return failed.notSent(what, reason, description, cause);
	return failed.credentialUnusable(what, redact(message, session.secretsOf(data)), failure);
}

/**
 * Sends a request with a signal. n8n replaces the signal of a request with that of its context. It
 * calls `authenticate` in credentials/SocialOpenPlatformApi.credentials.ts for each request, and
 * without a token `preAuthentication` first. n8n uses `data` in place of the stored credential, and
 * stores a new token in the credential of the node.
 */
async function sendWithCredential(
	{ context }: Session,
	data: ICredentialDataDecryptedObject,
	signal: AbortSignal,
	options: IHttpRequestOptions,
): Promise<unknown> {
	const cancelled = context.getExecutionCancelSignal();
	const either = cancelled ? AbortSignal.any([signal, cancelled]) : signal;
	return await context.helpers.httpRequestWithAuthentication.call(
		Object.create(context, { getExecutionCancelSignal: { value: () => either } }) as typeof context,
		CREDENTIAL_TYPE,
		options,
		{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data } },
	);
}

/**
 * Finds the original error inside the error that n8n throws. n8n 2 keeps it as the cause. n8n 1
 * keeps its message as the first of the messages, and its code as the HTTP code.
 */
export function originalErrorOf(error: unknown): ConnectionError {
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
		const timedOut = () =>
			reject(new OperationalError('timeout: the complete response did not arrive in time'));
		timer.addEventListener('abort', timedOut);
		promise.finally(() => timer.removeEventListener('abort', timedOut)).then(resolve, reject);
	});
}
