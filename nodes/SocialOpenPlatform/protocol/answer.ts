import type { HttpAnswer } from './httpAnswer';
import {
	readEnvelope,
	saidIn,
	type BodyReading,
	type Envelope,
	type RefusalEnvelope,
} from './envelope';
import { redact } from './redact';
import { readingOf } from './codes';

export interface Refusal {
	kind: 'refused';
	status: number;
	/** What happened: the platform's own message and our reading of its code. */
	reason: string;
	/** What to do about it. */
	advice: string;
	code?: number | string;
	/** The platform's own message, as it came. */
	message?: string;
	requestId?: string;
	retryAfter?: string;
	/** The Date header. */
	date?: string;
}

/**
 * - `accepted`: the platform says that it has done it.
 * - `refused`: the platform says that it has not.
 * - `unknown`: it says neither. The request may have taken effect.
 */
export type Answer<T> =
	| { kind: 'accepted'; value: T }
	| Refusal
	| { kind: 'unknown'; status?: number; reason: string; advice: string };

/** The request never arrived whole (RFC 9110, section 15.5.9), but a proxy may say so for another. */
const REQUEST_TIMEOUT = 408;

export const CHECK_BASE_URL = 'Check the Base URL in the credential.';
const SET_BASE_URL = 'Set the Base URL in the credential to the address the platform really uses.';
const TRY_LATER = 'The platform seems to have trouble of its own; try again later.';
const MAX_QUOTED = 300;

/** An HTTP date has 29 characters. */
const MAX_RETRY_AFTER = 40;

/** Of a code that is no number, in characters. */
const MAX_CODE = 64;

/** A UUID has 36 characters; some platforms chain several. */
const MAX_REQUEST_ID = 128;

/**
 * Tells what the answer of a business operation means for the request: done, not done, or unclear.
 * Business refusals come with HTTP 200 and `success: false` (platform interface, "Errors").
 *
 * @param secrets taken out of all that the answer says
 */
export function readAnswer(answer: HttpAnswer, secrets: readonly string[] = []): Answer<Envelope> {
	return meaningOf(answer, readEnvelope, secrets);
}

/** Reads a code, or the HTTP status where there is none. */
export type CodeReader = typeof readingOf;

/**
 * The same for an answer with any kind of body. HTTP 4xx means that nothing was done, and a 5xx answer
 * may come before or after the request took effect.
 *
 * @param readBody what the body says by itself
 * @param secrets taken out of all that the answer says
 * @param readCode what a code means here
 */
export function meaningOf<T>(
	answer: HttpAnswer,
	readBody: (body: string) => BodyReading<T>,
	secrets: readonly string[],
	readCode: CodeReader = readingOf,
): Answer<T> {
	// Before anything is cut short: part of a secret would not be found.
	const { status, location, ...headers } = redact({ ...answer, body: '' }, secrets);
	const read = redact(readBody(answer.body), secrets);
	if (status >= 300 && status < 400) return redirection(status, location);
	if (status >= 500 || status === REQUEST_TIMEOUT) {
		const said = read.kind === 'refused' ? `: ${quote(read.envelope.message)}` : '';
		const reason = `the platform answered HTTP ${status}${said}`;
		return { kind: 'unknown', status, reason, advice: status >= 500 ? TRY_LATER : CHECK_BASE_URL };
	}
	if (status >= 400 && read.kind === 'accepted') {
		const reason = `the platform answered HTTP ${status}, but reports success`;
		return { kind: 'unknown', status, reason, advice: CHECK_BASE_URL };
	}
	if (read.kind === 'refused') return businessRefusal(status, read.envelope, readCode, headers);
	if (status >= 400) {
		const said = redact(saidIn(answer.body), secrets);
		if (said) return businessRefusal(status, said, readCode, headers);
		return httpRefusal(status, read, readCode, headers);
	}
	if (read.kind === 'unreadable') {
		const reason = `the platform answered with ${read.reason}`;
		return { kind: 'unknown', status, reason, advice: CHECK_BASE_URL };
	}
	return read;
}

/** Only 307 and 308 say that nothing was done (RFC 9110, section 15.4); the others may follow a deed. */
function redirection(status: number, location?: string): Answer<never> {
	const target = location ? ` to ${withoutQuery(location)}` : '';
	const reason = `the address answers with a redirect${target} (HTTP ${status})`;
	const kind = status === 307 || status === 308 ? 'refused' : 'unknown';
	return { kind, status, reason, advice: SET_BASE_URL };
}

function businessRefusal(
	status: number,
	envelope: RefusalEnvelope,
	readCode: CodeReader,
	headers: WaitHeaders,
): Refusal {
	const code = shortened(envelope.code ?? undefined);
	const { reading, advice } = readCode(code, status, envelope.message);
	const numbered = code === undefined ? '' : `code ${code}: `;
	return {
		kind: 'refused',
		status,
		reason: `${quote(envelope.message)} (${numbered}${reading})`,
		advice,
		code,
		message: envelope.message ?? undefined,
		requestId: envelope.requestId?.slice(0, MAX_REQUEST_ID),
		...waitOf(headers),
	};
}

function httpRefusal(
	status: number,
	read: BodyReading<unknown>,
	readCode: CodeReader,
	headers: WaitHeaders,
): Refusal {
	const { reading, advice } = readCode(undefined, status);
	return {
		kind: 'refused',
		status,
		reason: `HTTP ${status}, ${reading}${read.kind === 'unreadable' ? `, with ${read.reason}` : ''}`,
		advice,
		...waitOf(headers),
	};
}

/** What an answer says of how long to wait. */
type WaitHeaders = Pick<HttpAnswer, 'retryAfter' | 'date'>;

function waitOf({ retryAfter, date }: WaitHeaders): WaitHeaders {
	return {
		retryAfter: retryAfter?.slice(0, MAX_RETRY_AFTER),
		date: date?.slice(0, MAX_RETRY_AFTER),
	};
}

/** The platform decides how long its codes are; they are kept with the execution. */
function shortened(code: number | string | undefined): number | string | undefined {
	return typeof code === 'string' ? code.slice(0, MAX_CODE) : code;
}

/** The platform's own words, as a message shows them. */
export function quote(message: string | null | undefined): string {
	if (!message?.trim()) return 'no message';
	return `“${message.trim().slice(0, MAX_QUOTED)}”`;
}

function withoutQuery(location: string): string {
	return location.replace(/[?#].*$/s, '').slice(0, MAX_QUOTED);
}
