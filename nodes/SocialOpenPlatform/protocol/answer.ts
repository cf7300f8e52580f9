import type { HttpAnswer } from './httpAnswer';
import { readEnvelope, type Envelope } from './envelope';
import { readingOf } from './codes';

export interface Refusal {
	kind: 'refusal';
	status: number;
	/** What happened: the platform's own message and our reading of its code. */
	reason: string;
	/** What to do about it. */
	advice: string;
	code?: number;
	requestId?: string;
	retryAfter?: string;
}

/**
 * - `success`: the platform says it did it.
 * - `refusal`: the platform says it did not.
 * - `unclear`: it says neither; what was asked for may have happened or not.
 */
export type Answer =
	| { kind: 'success'; envelope: Envelope }
	| Refusal
	| { kind: 'unclear'; status: number; reason: string };

/** The request never arrived whole (RFC 9110, section 15.5.9), but a proxy may say so for another. */
const REQUEST_TIMEOUT = 408;

const CHECK_BASE_URL = 'Check the Base URL in the credential.';
const MAX_QUOTED = 300;

/**
 * Tells what an answer means for the request: done, not done, or unclear.
 *
 * Business refusals come with HTTP 200 and `success: false` (platform interface, "Errors"), other
 * statuses below 500 mean that nothing was done, and a 5xx answer may come before or after the
 * request took effect.
 */
export function readAnswer(answer: HttpAnswer): Answer {
	const { status } = answer;
	if (status >= 300 && status < 400) {
		const target = answer.location ? ` to ${withoutQuery(answer.location)}` : '';
		return {
			kind: 'refusal',
			status,
			reason: `the address answers with a redirect${target} (HTTP ${status})`,
			advice: `Set the Base URL in the credential to the address the platform really uses.`,
		};
	}
	const read = readEnvelope(answer.body);
	if (status >= 500 || status === REQUEST_TIMEOUT) {
		const said = read.kind === 'broken' ? '' : `: ${quote(read.envelope.message)}`;
		return { kind: 'unclear', status, reason: `the platform answered HTTP ${status}${said}` };
	}
	if (read.kind === 'refusal') return businessRefusal(answer, read.envelope);
	if (status >= 400) return httpRefusal(answer, read.kind === 'broken' ? read.reason : undefined);
	if (read.kind === 'broken') {
		return { kind: 'unclear', status, reason: `the platform answered with ${read.reason}` };
	}
	return read;
}

function businessRefusal(answer: HttpAnswer, envelope: Envelope): Refusal {
	const code = envelope.code ?? undefined;
	const { reading, advice } = readingOf(code, answer.status);
	const numbered = code === undefined ? '' : `code ${code}: `;
	return {
		kind: 'refusal',
		status: answer.status,
		reason: `${quote(envelope.message)} (${numbered}${reading})`,
		advice,
		code,
		requestId: envelope.requestId ?? undefined,
		retryAfter: answer.retryAfter,
	};
}

function httpRefusal(answer: HttpAnswer, body = 'no refusal in it'): Refusal {
	const { reading, advice } = readingOf(undefined, answer.status);
	return {
		kind: 'refusal',
		status: answer.status,
		reason: `HTTP ${answer.status}, ${reading}, with ${body}`,
		advice: answer.status === 404 ? CHECK_BASE_URL : advice,
		retryAfter: answer.retryAfter,
	};
}

function quote(message: string | null | undefined): string {
	if (!message?.trim()) return 'no message';
	return `“${message.trim().slice(0, MAX_QUOTED)}”`;
}

function withoutQuery(location: string): string {
	return location.replace(/[?#].*$/s, '').slice(0, MAX_QUOTED);
}
