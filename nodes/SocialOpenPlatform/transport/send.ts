import { OperationalError, type ICredentialDataDecryptedObject } from 'n8n-workflow';
import { responseOptions, type Answer, type StreamedResponse } from '../protocol/answer';
import {
	CancelledBeforeSending,
	readConnectionError,
	type ConnectionError,
} from '../protocol/connection';
import { urlOf, type Operation } from '../protocol/endpoints';
import { redact } from '../protocol/redact';
import { CredentialUnusable, type Settings } from '../protocol/settings';
import { NoAccessToken } from '../protocol/token';
import { credentialUnusable, noToken, notSent, type NotSent } from './outcome';
import type { ResponseFormat } from './response';
import { CREDENTIAL_TYPE, type Session } from './session';
import { exchangePause } from './tokenCache';

export interface PlatformRequest<T> {
	operation: Operation;
	body: Record<string, unknown>;
	format: ResponseFormat<T>;
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

/**
 * Milliseconds that a token exchange before the request may take: 20 seconds for the exchange
 * itself, and the rest for storing the token.
 */
const MAX_EXCHANGE_MS = 25_000;

/** Milliseconds that are added to the timeout, so that n8n's own timeout ends the request first. */
const LEEWAY_MS = 250;

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
	const exchangeMs = data.accessToken ? 0 : MAX_EXCHANGE_MS;
	const abort = new AbortController();
	const context = abortableContext(session.context, abort.signal);
	const secrets = () => [...session.secretsOf(data), ...(request.secrets ?? [])];
	const sendAndRead = async () => {
		const response = (await context.helpers.httpRequestWithAuthentication.call(
			context,
			CREDENTIAL_TYPE,
			{
				...responseOptions,
				method: 'POST',
				url: urlOf(request.operation, session.settings),
				// The HTTP client copies a plain object, but not its fields with names such as `constructor`.
				body: { ...request.body, [Symbol.toStringTag]: 'Object' },
				timeout: request.timeout,
			},
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data } },
		)) as StreamedResponse;
		return await request.format(response, secrets());
	};
	try {
		// This timeout is needed because n8n's own timeout starts again with every byte. If n8n's
		// timeout ends the request, its error shows how far the request had come.
		return await withTimeout(request.timeout + exchangeMs + LEEWAY_MS, sendAndRead());
	} catch (error) {
		const thrown = originalErrorOf(error);
		const message = redact(thrown.message ?? '', secrets());
		return readError(thrown, message, request.what, session.settings);
	} finally {
		// n8n may still be preparing the request, which must not be sent any more, and it keeps the
		// connection of a body that was not read to its end.
		abort.abort();
	}
}

/**
 * The context with another signal, because n8n replaces the signal of a request by the one of its
 * context.
 */
function abortableContext<T extends Session['context']>(context: T, signal: AbortSignal): T {
	const cancelled = context.getExecutionCancelSignal();
	const either = cancelled ? AbortSignal.any([signal, cancelled]) : signal;
	return Object.create(context, { getExecutionCancelSignal: { value: () => either } }) as T;
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
	settings: Settings,
): NotSent | Extract<Answer<never>, { kind: 'unknown' }> {
	if (thrown.errorCode === CredentialUnusable.code) return credentialUnusable(what, message);
	if (thrown.errorCode === NoAccessToken.code) {
		return noToken(what, message, exchangePause(settings));
	}
	if (thrown.errorCode === CancelledBeforeSending.code) {
		return notSent(what, 'the execution was cancelled', 'Run the workflow again if needed.');
	}
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
