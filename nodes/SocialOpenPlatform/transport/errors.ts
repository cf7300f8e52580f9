import { NodeApiError, OperationalError, type INode, type JsonObject } from 'n8n-workflow';
import type { Refusal } from '../protocol/answer';

/**
 * What became of a request that did not succeed:
 * - `refused`: the platform says it did not do it.
 * - `not_sent`: it certainly never left.
 * - `unknown`: it left, and nobody can tell whether the platform did it.
 * - `incomplete`: it was answered, but not with what was asked for.
 */
export type Outcome = 'refused' | 'not_sent' | 'unknown' | 'incomplete';

/** Structured facts of an error, for workflows that branch on them. Nothing secret. */
export interface ErrorFacts {
	outcome: Outcome;
	/** The platform's business code. */
	code?: number | string;
	http_status?: number;
	request_id?: string;
	retry_after?: string;
	/** What came instead of an answer. */
	reason?: string;
	/** What helps to find out whether it happened, or what came instead of what was asked for. */
	[clue: string]: unknown;
}

/** The run ended before the request left: nothing was sent, and nobody asks for it any more. */
export class Stopped extends OperationalError {
	constructor() {
		super('The run ended before this item was sent');
	}
}

/** An unsuccessful request, in words and in facts. */
export interface Failure {
	/** What happened. */
	message: string;
	/** What to do. */
	description: string;
	facts: ErrorFacts;
}

/** A request that did not succeed, as n8n shows it: message, description and the item it belongs to. */
export function apiError(node: INode, itemIndex: number, failure: Failure): NodeApiError {
	const { message, description, facts } = failure;
	const error = new NodeApiError(node, { ...facts } as JsonObject, {
		message,
		description,
		itemIndex,
		httpCode: facts.http_status === undefined ? undefined : String(facts.http_status),
	});
	error.context.data = { ...facts };
	return error;
}

/** What happened and what to do in one plain paragraph, for those who are shown no more than that. */
export function paragraphOf(error: { message: string; description?: string | null }): string {
	const { message, description } = error;
	const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
	return [sentence, description].filter(Boolean).join(' ').replace(/\s+/g, ' ');
}

/** @param what what was asked for, as the object of a sentence: "the post" */
export function refused(what: string, refusal: Refusal): Failure {
	const { reason, advice, code, status, requestId, retryAfter } = refusal;
	const wait = retryAfter ? ` The platform asks to wait: Retry-After ${retryAfter}.` : '';
	const trace = requestId ? ` Request ID: ${requestId}.` : '';
	return {
		message: `The platform refused ${what}: ${reason}`,
		description: `${advice}${wait}${trace}`,
		facts: {
			outcome: 'refused',
			code,
			http_status: status,
			request_id: requestId,
			retry_after: retryAfter,
		},
	};
}

/** @param why a sentence of its own, from the credential or the token exchange */
export function withoutCredential(what: string, why: string): Failure {
	return {
		message: `Nothing was sent for ${what}. ${why}`,
		description:
			'It is safe to send the item again once this is mended. The credential can be tested by itself.',
		facts: { outcome: 'not_sent' },
	};
}

export function notSent(what: string, reason: string, advice: string): Failure {
	return {
		message: `Nothing was sent for ${what}: ${reason}`,
		description: advice,
		facts: { outcome: 'not_sent' },
	};
}

/** How a user finds out whether something happened when no answer says so. */
export interface LookUp {
	/** A sentence. */
	advice: string;
	/** The same as facts: when it was sent, and what to look for. */
	clues: Record<string, string>;
}

/** @param reason what came instead of an answer, as the second half of a sentence */
export function unknown(what: string, reason: string, lookUp: LookUp, status?: number): Failure {
	return {
		message: `It is unknown whether the platform accepted ${what}: ${reason}`,
		description: lookUp.advice,
		facts: { outcome: 'unknown', http_status: status, reason, ...lookUp.clues },
	};
}

/** What else is known of an answer that could not be used. */
export interface Clues {
	/** HTTP status. */
	status?: number;
	/** A sentence. */
	advice?: string;
}

/**
 * For a request that changes nothing at the platform: it can be sent again.
 *
 * @param reason what came instead of an answer, as the second half of a sentence
 */
export function unanswered(what: string, reason: string, clues: Clues = {}): Failure {
	const { status, advice = '' } = clues;
	return {
		message: `No usable answer to ${what}: ${reason}`,
		description:
			`${advice} Nothing is published by it, so it is safe to send it again. The platform may count it twice.`.trim(),
		facts: { outcome: 'unknown', http_status: status, reason },
	};
}
