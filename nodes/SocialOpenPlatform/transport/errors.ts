import { NodeApiError, type INode } from 'n8n-workflow';
import type { Refusal } from '../protocol/answer';

/**
 * What became of a request that did not succeed:
 * - `refused`: the platform says it did not do it.
 * - `not_sent`: it certainly never left.
 * - `unknown`: it left, and nobody can tell whether the platform did it.
 */
export type Outcome = 'refused' | 'not_sent' | 'unknown';

/** Structured facts of an error, for workflows that branch on them. Nothing secret. */
export interface ErrorFacts {
	outcome: Outcome;
	/** The platform's business code. */
	code?: number | string;
	http_status?: number;
	request_id?: string;
	retry_after?: string;
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
	const error = new NodeApiError(
		node,
		{ ...facts },
		{
			message,
			description,
			itemIndex,
			httpCode: facts.http_status === undefined ? undefined : String(facts.http_status),
		},
	);
	error.context.data = { ...facts };
	return error;
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

/** @param lookUp where the user can see whether it happened */
export function unknown(what: string, reason: string, lookUp: string, status?: number): Failure {
	return {
		message: `It is unknown whether the platform accepted ${what}: ${reason}`,
		description: `${lookUp} Sending it again without looking may do it twice.`,
		facts: { outcome: 'unknown', http_status: status },
	};
}
