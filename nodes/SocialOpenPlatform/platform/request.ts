import { sleep } from 'n8n-workflow';
import { usesToken } from './endpoints';
import { explainRateLimit, isRateLimited, waitBefore } from './rateLimit';
import type { Settings } from './settings';
import type { Limiter } from './limiter';
import {
	refused,
	stopped,
	noUsableResponse,
	unknown,
	type Failed,
	type Outcome,
	type Stopped,
} from './outcome';
import { fetchToken, send, type PlatformRequest, type SendResult } from './client';
import type { Session } from './session';

/** What the requests of one run share. */
export interface Connection {
	session: Session;
	limiter: Limiter;
}

export interface RepeatableRequest<T> extends PlatformRequest<T> {
	/**
	 * Milliseconds to wait in total for rate limits. If it is 0, the first rate limit is the outcome.
	 */
	rateLimitWait: number;
	/**
	 * Called each time right before the request is sent. After this call, the platform may have
	 * accepted the request.
	 *
	 * @returns the outcome of a request that must not be sent
	 */
	beforeSend?: () => Promise<Failed | Stopped | undefined>;
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
		const notAllowed = await request.beforeSend?.();
		if (notAllowed) return notAllowed;
		const answer = await sendWithToken(session, request);
		const wait = waitAfter(answer, sends, session.settings);
		if (wait === undefined || timeLeft <= 0 || wait > timeLeft || sends === MAX_SENDS) {
			return outcomeOf(answer, request, session.settings);
		}
		request.onRateLimit?.();
		timeLeft -= wait;
		limiter.pauseUntil(performance.now() + wait);
	}
}

/** The outcome that a response means for its request. */
export function outcomeOf<T>(
	answer: SendResult<T>,
	{ what, isSafeToRepeat }: Pick<PlatformRequest<T>, 'what' | 'isSafeToRepeat'>,
	settings: Settings,
): Exclude<Outcome<T>, Stopped> {
	if (answer.kind === 'refused') {
		const cause = isTokenRejected(answer, settings) ? 'credential-invalid' : answer.cause;
		return refused(what, explainRateLimit({ ...answer, cause }, settings.rateLimitCodes));
	}
	if (answer.kind !== 'unknown') return answer;
	const { reason, advice, status } = answer;
	return isSafeToRepeat
		? noUsableResponse(what, reason, advice, status)
		: unknown(what, reason, advice, status);
}

/**
 * Milliseconds to wait after a rate limit before the request is sent again.
 *
 * @returns undefined if there was no rate limit
 */
function waitAfter(
	answer: SendResult<unknown>,
	sends: number,
	{ rateLimitCodes }: Settings,
): number | undefined {
	if (answer.kind === 'not_sent' && answer.pausedUntil) {
		return Math.max(0, answer.pausedUntil - performance.now());
	}
	if (answer.kind !== 'refused' || !isRateLimited(answer, rateLimitCodes)) return undefined;
	return waitBefore(answer.retryAfterMs, sends, Math.random());
}

/**
 * Sends a request. If the platform rejects its token, by HTTP 401 or inside HTTP 200, the request
 * had no effect, and is sent again with another token.
 */
async function sendWithToken<T>(
	session: Session,
	request: PlatformRequest<T>,
): Promise<SendResult<T>> {
	if (!usesToken(request.operation)) {
		return await send(session, request, session.credentialWithoutExchange());
	}
	for (let tokens = 1; ; tokens++) {
		const { data } = session;
		const answer =
			(await fetchToken(session, request.what, data)) ?? (await send(session, request, data));
		if (tokens === MAX_TOKENS || !isTokenRejected(answer, session.settings)) return answer;
		// A random wait lets one of two processes store its token before the other one looks for it.
		await sleep((tokens - 1) * Math.random() * MAX_TOKEN_WAIT_MS);
		await session.replaceToken(data.accessToken as string);
	}
}

function isTokenRejected(answer: SendResult<unknown>, { renewalCodes }: Settings): boolean {
	if (answer.kind !== 'refused') return false;
	const { status, code } = answer;
	return status === 401 || (typeof code === 'number' && renewalCodes.has(code));
}
