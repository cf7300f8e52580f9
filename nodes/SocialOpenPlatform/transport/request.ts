import { takesToken } from '../protocol/endpoints';
import { isRateLimited, readRetryAfter, waitBefore } from '../protocol/rateLimit';
import type { Settings } from '../protocol/settings';
import type { Limiter } from './limiter';
import {
	refused,
	stopped,
	unanswered,
	unknown,
	type Failed,
	type Outcome,
	type Stopped,
} from './outcome';
import { send, type PlatformRequest, type SendResult } from './send';
import type { Session } from './session';

/** What the requests of one run share. */
export interface Connection {
	session: Session;
	limiter: Limiter;
}

interface RepeatableRequest<T> extends PlatformRequest<T> {
	/** Milliseconds to wait in all for rate limits; with 0 the first one is the outcome. */
	rateLimitWait: number;
	/**
	 * Called right before the request is sent, each time. From then on the platform may have accepted it.
	 *
	 * @returns the outcome of a request that must not be sent
	 */
	beforeSend?: () => Promise<Failed | Stopped | undefined>;
	/** Called when the platform has not accepted it, and it waits to be sent again. */
	onRateLimit?: () => void;
}

/** How often a request is sent, however short the platform asks to wait. */
const MAX_SENDS = 10;

/** How many access tokens a request is sent with. */
const MAX_TOKENS = 5;

/** How many tokens in a row may be rejected that were fetched for the request, before the request fails. */
const MAX_FRESH_TOKENS = 2;

/**
 * Sends a request of a running task of the limiter. A request that the platform rejects because of its
 * rate limit was not accepted, and is sent again after a pause of the whole run. So is a request that
 * needs a token while the platform issues none.
 */
export async function request<T>(
	{ session, limiter }: Connection,
	itemIndex: number,
	call: RepeatableRequest<T>,
): Promise<Outcome<T>> {
	let timeLeft = call.rateLimitWait;
	for (let sends = 1; ; sends++) {
		if (!(await limiter.waitForStart(itemIndex))) return stopped;
		const notAllowed = await call.beforeSend?.();
		if (notAllowed) return notAllowed;
		const answer = await sendWithToken(session, call);
		const wait = rateLimitOf(answer, sends, session.settings);
		if (!wait || timeLeft <= 0 || wait.requestedMs > timeLeft || sends === MAX_SENDS) {
			return outcomeOf(answer, call);
		}
		call.onRateLimit?.();
		timeLeft -= wait.ms;
		if (answer.kind === 'not_sent') limiter.pauseUntil(answer.tokens!.until);
		else limiter.pause(wait.ms);
	}
}

function outcomeOf<T>(
	answer: SendResult<T>,
	{ what, isSafeToRepeat }: PlatformRequest<T>,
): Outcome<T> {
	if (answer.kind === 'refused') return refused(what, answer);
	if (answer.kind !== 'unknown') return answer;
	const { reason, advice, status } = answer;
	return isSafeToRepeat
		? unanswered(what, reason, advice, status)
		: unknown(what, reason, advice, status);
}

/** Milliseconds to wait before the request is sent again, and how many of them the platform asks for. */
function rateLimitOf(
	answer: SendResult<unknown>,
	sends: number,
	{ rateLimitCodes }: Settings,
): { ms: number; requestedMs: number } | undefined {
	if (answer.kind === 'not_sent' && answer.tokens) {
		const { until, requestedMs } = answer.tokens;
		return { ms: Math.max(0, until - performance.now()), requestedMs };
	}
	if (answer.kind !== 'refused' || !isRateLimited(answer, rateLimitCodes)) return undefined;
	const after = readRetryAfter(answer.retryAfter, new Date(), answer.date);
	const ms = waitBefore(after, sends, Math.random());
	return { ms, requestedMs: after ?? ms };
}

/**
 * Replaces a token that the platform rejects, by HTTP 401 or inside HTTP 200, and sends the request
 * again: with a rejected token nothing was done. The next token may be rejected too, because other
 * processes of n8n fetch tokens for the same application, and each may end those before it.
 */
async function sendWithToken<T>(
	session: Session,
	call: PlatformRequest<T>,
): Promise<SendResult<T>> {
	if (!takesToken(call.operation)) {
		return await send(session, call, session.credentialWithoutExchange());
	}
	let data = session.credential();
	for (let tokens = 1, fresh = 0; ; tokens++) {
		const isFetched = !data.accessToken;
		const tokenBefore = session.token;
		const startedAt = Date.now();
		const answer = await send(session, call, data);
		if (isFetched) session.keepToken(data, tokenBefore);
		if (tokens === MAX_TOKENS || !isTokenRejected(answer, session.settings)) return answer;
		data = await session.replaceToken(data.accessToken as string, Date.now() - startedAt);
		if (isFetched && !data.accessToken && ++fresh === MAX_FRESH_TOKENS) return answer;
	}
}

function isTokenRejected(answer: SendResult<unknown>, { renewalCodes }: Settings): boolean {
	if (answer.kind !== 'refused') return false;
	const { status, code } = answer;
	return status === 401 || (typeof code === 'number' && renewalCodes.has(code));
}
