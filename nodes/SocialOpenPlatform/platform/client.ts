import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { isTokenRejected } from './codes';
import { originalErrorOf, readConnectionError } from './connection';
import { failed, isChat, type RequestKind, type Result } from './outcome';
import { redact } from './json';
import {
	readWhole,
	responseOptions,
	type ResponseReader,
	type SentRequest,
	type StreamedResponse,
} from './response';
import { withTimeout, type Session } from './session';
import { CredentialUnusable, urlOf, type Settings } from './settings';

interface PlatformRequest<T> extends RequestKind {
	body: Record<string, unknown>;
	read: ResponseReader<T>;
	/** Milliseconds to wait for the whole response. */
	timeout: number;
	/** Secrets in the body. */
	bodySecrets?: string[];
}

/**
 * Maximum number of new tokens per request. The platform may reject every token of one request
 * although it accepts the tokens of other requests.
 */
const MAX_EXCHANGES = 3;

/** Maximum number of new tokens per request if the responses are not in the platform's format. */
const MAX_FOREIGN_EXCHANGES = 1;

/** Milliseconds added to a request's timeout, so that n8n's own timeout usually comes first. */
const LEEWAY_MS = 250;

/**
 * Sends a request. If the platform rejects its token, the request has had no effect and is resent
 * with another token.
 */
export async function send<T>(session: Session, request: PlatformRequest<T>): Promise<Result<T>> {
	// Chat requests contain the App Secret instead of a token.
	if (isChat(request)) {
		return await sendOnce(session, request, session.dataForSecret());
	}
	for (let exchanges = 0; ;) {
		const found = await session.withToken(request.what);
		if ('failure' in found) return found;
		const { data } = found;
		const token = data.accessToken as string;
		const outcome = await sendOnce(session, request, data);
		if (outcome.kind === 'accepted') session.tokenAccepted();
		if (outcome.kind !== 'refused') return outcome;
		const { failure } = outcome;
		const { http_status: status, code } = failure.facts ?? {};
		if (!isTokenRejected({ status, code }, session.settings)) return outcome;
		// The last token stays in use, because the platform may accept it for other requests.
		if (exchanges === MAX_EXCHANGES) return outcome;
		// The session counts the rejection even if a foreign response prevents another attempt, so that
		// a proxy that rejects all tokens ends the run sooner.
		const mayRepeat = await session.replaceToken(token, failure);
		if (!mayRepeat || (failure.isForeign && exchanges === MAX_FOREIGN_EXCHANGES)) return outcome;
		// A token that another run, or another request of this run, has already fetched does not count.
		if (!session.data.accessToken) exchanges++;
	}
}

/**
 * Sends a request once, unless the execution was canceled.
 *
 * @param data the session's credential
 */
async function sendOnce<T>(
	session: Session,
	request: PlatformRequest<T>,
	data: ICredentialDataDecryptedObject,
): Promise<Result<T>> {
	const { settings, context } = session;
	const canceled = context.getExecutionCancelSignal();
	if (canceled?.aborted) {
		const advice = 'Run the workflow again if needed.';
		return failed.notSent(request.what, 'the execution was canceled', advice);
	}
	const secrets = session.secretsOf(data, request.bodySecrets);
	return await callPlatform({ ...request, settings, secrets, canceled }, async (options, signal) =>
		session.request(data, signal, options),
	);
}

/**
 * Sends a request to the platform and reads the response. A failure contains no secrets.
 *
 * @param call calls n8n's HTTP helper
 */
export async function callPlatform<T>(
	request: PlatformRequest<T> & SentRequest & { settings: Settings; canceled?: AbortSignal },
	call: (options: IHttpRequestOptions, signal: AbortSignal) => Promise<unknown>,
): Promise<Result<T>> {
	const { body, timeout, read, canceled } = request;
	const callAndRead = async (signal: AbortSignal) => {
		const options = {
			...responseOptions,
			method: 'POST',
			url: urlOf(request.operation, request.settings),
			// n8n's HTTP client copies plain objects without fields such as `constructor`. With this tag,
			// the object is not plain, so it is not copied. JSON omits the tag.
			body: { ...body, [Symbol.toStringTag]: 'Object' },
			timeout,
		} as const;
		return await readWhole((await call(options, signal)) as StreamedResponse, read, request);
	};
	try {
		// n8n's own timeout restarts with every byte, so it does not limit the whole response. Its
		// error is still useful, because it shows whether the request was sent.
		return await withTimeout(timeout + LEEWAY_MS, callAndRead, canceled);
	} catch (error) {
		const thrown = originalErrorOf(error);
		if (thrown.errorCode === CredentialUnusable.code) {
			return failed.credentialUnusable(request.what, redact(thrown.message ?? '', request.secrets));
		}
		return failed.noResponse(request, readConnectionError(thrown));
	}
}
