import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Answer } from '../protocol/answer';
import { takesToken } from '../protocol/endpoints';
import { isRateLimited, readRetryAfter, waitBefore } from '../protocol/rateLimit';
import type { Settings } from '../protocol/settings';
import type { Caller } from './caller';
import { apiError, refused, Stopped, type Failure } from './errors';
import type { Gate } from './gate';
import { send, type Held, type PlatformCall } from './send';
import type { Session } from './session';

/** What the requests of one run share. */
export interface Line {
	session: Session;
	gate: Gate;
}

/** A call, and how long it bears with the platform. */
export interface PatientCall<T> extends PlatformCall<T> {
	/** Milliseconds to wait in all when the platform says "too many requests"; 0 takes that as it is. */
	rateLimitWait: number;
	/**
	 * Called right before each sending: from here on the platform may have done it. False means that it
	 * must not be sent.
	 */
	onSend?: () => void | boolean | Promise<void | boolean>;
	/** Called when the platform has not done it and it waits to be sent again. */
	onHold?: () => void;
}

/** A request is sent no more often than this, however short the platform asks to wait. */
const MAX_SENDS = 10;

/** Tokens that a request is sent with at most. */
const MAX_TOKENS = 5;

/** Of them, those that were got for it and refused although nobody stored another one since. */
const MAX_UNDISPUTED = 2;

/**
 * Asks the platform for something, once through the gate, and returns its answer. What the platform
 * answers with "too many requests" was not done: it is sent again after a while, in which nothing else
 * of this run is sent. So is what waits for a token, where the platform gives no more tokens for a while.
 *
 * @throws NodeApiError saying whether the platform refused, was not asked, or may have done it
 * @throws Stopped when the run ended before it was sent, or before it was to be sent again, or when
 * `onSend` forbids it
 */
export async function request<T>(
	this: Caller,
	itemIndex: number,
	call: PatientCall<T>,
	line: Line,
): Promise<T> {
	const { gate, session } = line;
	let answer: Answer<T> | Held;
	let patience = call.rateLimitWait;
	for (let sends = 1; ; sends++) {
		if (!(await gate.mayStart(itemIndex))) throw new Stopped();
		if ((await call.onSend?.()) === false) throw new Stopped();
		answer = await (sendWithRenewal<T>).call(this, itemIndex, call, session);
		const wait = rateLimitOf(answer, sends, session.settings);
		if (!wait || patience <= 0 || wait.asked > patience || sends === MAX_SENDS) break;
		call.onHold?.();
		patience -= wait.ms;
		if (answer.kind === 'held') gate.holdUntil(answer.until);
		else gate.holdBack(wait.ms);
	}
	if (answer.kind === 'success') return answer.value;
	throw apiError(this.getNode(), itemIndex, failureOf(answer, call));
}

function failureOf<T>(answer: Unsuccessful<T>, call: PlatformCall<T>): Failure {
	if (answer.kind === 'held') return answer.failure;
	if (answer.kind === 'refusal') return refused(call.what, answer);
	return call.unanswered(answer.reason, answer);
}

type Unsuccessful<T> = Exclude<Answer<T> | Held, { kind: 'success' }>;

/** Milliseconds to wait before this request is sent again, and how many of them the platform asks for. */
function rateLimitOf(
	answer: Answer<unknown> | Held,
	sends: number,
	{ rateLimitCodes }: Settings,
): { ms: number; asked: number } | undefined {
	if (answer.kind === 'held') {
		return { ms: Math.max(0, answer.until - performance.now()), asked: answer.asked };
	}
	if (answer.kind !== 'refusal' || !isRateLimited(answer, rateLimitCodes)) return undefined;
	const after = readRetryAfter(answer.retryAfter, new Date(), answer.date);
	const ms = waitBefore(after, sends, Math.random());
	return { ms, asked: after ?? ms };
}

/**
 * A token that the platform refuses, by HTTP 401 or inside HTTP 200, is replaced and the request sent
 * again: a refused token means that nothing was done. The next one may be refused too: other processes
 * of n8n get tokens for the same application, and each may end those before it. Where nobody does, the
 * platform will refuse the next one, too.
 */
async function sendWithRenewal<T>(
	this: Caller,
	itemIndex: number,
	call: PlatformCall<T>,
	session: Session,
): Promise<Answer<T> | Held> {
	if (!takesToken(call.operation)) {
		const data = session.credentialWithoutExchange();
		return await (send<T>).call(this, itemIndex, call, session, data);
	}
	let data = session.credential();
	for (let tokens = 1, undisputed = 0; ; tokens++) {
		const isNew = !data.accessToken;
		const begun = Date.now();
		const answer = await (sendAs<T>).call(this, itemIndex, call, session, data);
		if (tokens === MAX_TOKENS || !isTokenRefused(answer, session.settings)) return answer;
		data = await session.withoutToken(data.accessToken as string, Date.now() - begun);
		if (isNew && !data.accessToken && ++undisputed === MAX_UNDISPUTED) return answer;
	}
}

/** Sends it once, and keeps the token that n8n may have got for it. */
async function sendAs<T>(
	this: Caller,
	itemIndex: number,
	call: PlatformCall<T>,
	session: Session,
	data: ICredentialDataDecryptedObject,
): Promise<Answer<T> | Held> {
	const before = session.token;
	const isWithoutToken = !data.accessToken;
	try {
		return await (send<T>).call(this, itemIndex, call, session, data);
	} finally {
		if (isWithoutToken) session.keepToken(data, before);
	}
}

function isTokenRefused(answer: Answer<unknown> | Held, { renewalCodes }: Settings): boolean {
	if (answer.kind !== 'refusal') return false;
	const { status, code } = answer;
	return status === 401 || (typeof code === 'number' && renewalCodes.has(code));
}
