import {
	OperationalError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import { responseOptions, type Answer, type StreamedResponse } from './answer';
import { readConnectionError, type ConnectionError } from './connection';
import { urlOf, type Operation } from './endpoints';
import { redact } from './redact';
import { CredentialUnusable } from './settings';
import { tokenIn } from './token';
import { credentialUnusable, noToken, notSent, type NotSent } from './outcome';
import { readWhole, type AnswerReader } from './response';
import { CREDENTIAL_TYPE, type Session } from './session';
import { exchangePause } from './tokenCache';

export interface PlatformRequest<T> {
	operation: Operation;
	body: Record<string, unknown>;
	read: AnswerReader<T>;
	/** Milliseconds to wait for the whole response. */
	timeout: number;
	/** Secrets in the body. */
	secrets?: readonly string[];
	/** How messages name the request, such as "the post". */
	what: string;
	/** Whether the request changes nothing on the platform. */
	isSafeToRepeat?: boolean;
}

/** The result of sending a request. */
export type SendResult<T> = Answer<T> | NotSent;

/** Milliseconds for a token exchange: 20 seconds for the exchange itself, and the rest for storing. */
const MAX_EXCHANGE_MS = 25_000;

/** Milliseconds that are added to the timeout, so that n8n's own timeout ends the request first. */
const LEEWAY_MS = 250;

/**
 * Sends a request once and reads the response. This is the only HTTP call to the platform. The
 * result contains no secrets.
 *
 * @param data the credential of the session
 */
export async function send<T>(
	session: Session,
	request: PlatformRequest<T>,
	data: ICredentialDataDecryptedObject,
): Promise<SendResult<T>> {
	if (session.context.getExecutionCancelSignal()?.aborted) {
		const advice = 'Run the workflow again if needed.';
		return notSent(request.what, 'the execution was cancelled', advice);
	}
	const abort = new AbortController();
	const secrets = [...session.secretsOf(data), ...(request.secrets ?? [])];
	const sendAndRead = async () => {
		const response = await sendWithCredential(session, data, abort.signal, {
			...responseOptions,
			method: 'POST',
			url: urlOf(request.operation, session.settings),
			// The HTTP client copies a plain object, but not its fields with names such as `constructor`.
			body: { ...request.body, [Symbol.toStringTag]: 'Object' },
			timeout: request.timeout,
		});
		return await readWhole(response as StreamedResponse, request.read, secrets);
	};
	try {
		// This timeout is needed because n8n's own timeout starts again with every byte. If n8n's
		// timeout ends the request, its error shows how far the request had come.
		return await withTimeout(request.timeout + LEEWAY_MS, sendAndRead());
	} catch (error) {
		const thrown = originalErrorOf(error);
		const message = redact(thrown.message ?? '', secrets);
		return readError(thrown, message, request.what);
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
export async function fetchToken(
	session: Session,
	what: string,
	data: ICredentialDataDecryptedObject,
): Promise<NotSent | undefined> {
	const { settings } = session;
	if (tokenIn(data.accessToken, settings)) return undefined;
	data.accessToken = '';
	// n8n fetches and stores a token before it sends this request, which is aborted from the start.
	const request = { url: settings.baseUrl.href };
	const sending = sendWithCredential(session, data, AbortSignal.abort(), request);
	const error: unknown = await withTimeout(MAX_EXCHANGE_MS, sending).catch(
		(thrown: unknown) => thrown,
	);
	// The token can be used even if n8n could not store it.
	if (data.accessToken) return undefined;
	const message = redact(originalErrorOf(error).message ?? '', session.secretsOf(data));
	return noToken(what, message, exchangePause(settings));
}

/** Sends a request with a signal. n8n replaces the signal of a request by the one of its context. */
async function sendWithCredential(
	{ context }: Session,
	data: ICredentialDataDecryptedObject,
	signal: AbortSignal,
	options: IHttpRequestOptions,
): Promise<unknown> {
	const cancelled = context.getExecutionCancelSignal();
	const either = cancelled ? AbortSignal.any([signal, cancelled]) : signal;
	return (await context.helpers.httpRequestWithAuthentication.call(
		Object.create(context, { getExecutionCancelSignal: { value: () => either } }) as typeof context,
		CREDENTIAL_TYPE,
		options,
		{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data } },
	)) as unknown;
}

/**
 * Finds out from an error of the credential or of n8n's HTTP client whether the request was sent.
 *
 * @param message the message of the error, without secrets
 */
function readError(
	thrown: Thrown,
	message: string,
	what: string,
): NotSent | Extract<Answer<never>, { kind: 'unknown' }> {
	if (thrown.errorCode === CredentialUnusable.code) return credentialUnusable(what, message);
	const { mayHaveArrived, isTemporary, reason, advice } = readConnectionError(thrown);
	if (mayHaveArrived) return { kind: 'unknown', reason, advice };
	const cause = isTemporary ? ({ cause: 'temporarily-unavailable' } as const) : undefined;
	return notSent(what, reason, advice, cause);
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
