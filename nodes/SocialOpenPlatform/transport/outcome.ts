import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import type { Refusal } from '../protocol/answer';
import type { Issue } from '../protocol/issue';

/**
 * How the request of an item ended:
 * - `accepted`: the platform has done it.
 * - `invalid`: the parameters of the node cannot be used. Nothing was sent.
 * - `refused`: the platform says that it has not done it.
 * - `not_sent`: the request certainly never left.
 * - `unknown`: the request left, and no response says whether the platform has done it.
 * - `incomplete`: the response lacks a part of what was requested.
 * - `stopped`: the run ended before the request was sent.
 */
export type Outcome<T> = { kind: 'accepted'; value: T } | Failed | Stopped;

export interface Failed {
	kind: 'invalid' | 'refused' | 'not_sent' | 'unknown' | 'incomplete';
	failure: Failure;
}

/** Nothing was sent, and that is certain. */
export interface NotSent extends Failed {
	kind: 'not_sent';
}

export interface Stopped {
	kind: 'stopped';
}

export const stopped: Stopped = { kind: 'stopped' };

/** A failed request, as text and as facts. */
interface Failure {
	/** What happened. */
	message: string;
	/** What to do. */
	description?: string;
	/** For workflows that branch on them. Nothing secret. */
	facts?: Facts;
	/** Whether an earlier attempt of the execution failed, and this one has sent nothing. */
	isFromEarlierAttempt?: boolean;
	/** The error that n8n or a bug threw. n8n shows a node error unchanged, and others with their details. */
	error?: Error;
}

export interface Facts {
	/** The platform's business code. */
	code?: number | string;
	http_status?: number;
	request_id?: string;
	retry_after?: string;
	/** What came instead of a response, as the second half of a sentence. */
	reason?: string;
	/** What helps to find the post on the platform, or what an incomplete response holds. */
	[clue: string]: unknown;
}

export type NodeError = NodeApiError | NodeOperationError;

/**
 * All issues of an item at once. Nothing of the item was sent.
 *
 * @param advice a sentence to add
 */
export function invalid(itemIndex: number, problems: readonly Issue[], advice = ''): Failed {
	const correct = `Nothing was sent for item ${itemIndex}. Correct the fields named above.`;
	return {
		kind: 'invalid',
		failure: {
			message: problems.map(({ field, message }) => `'${field}' ${message}`).join('; '),
			description: `${correct} ${advice}`.trim(),
			facts: { problems },
		},
	};
}

/** @param what the object of the request, as in "the post" */
export function refused(what: string, refusal: Refusal): Failed {
	const { reason, advice, code, status, requestId, retryAfter } = refusal;
	const wait = retryAfter ? ` The platform asks you to wait: Retry-After ${retryAfter}.` : '';
	const trace = requestId ? ` Request ID: ${requestId}.` : '';
	return {
		kind: 'refused',
		failure: {
			message: `The platform refused ${what}: ${reason}`,
			description: `${advice}${wait}${trace}`,
			facts: { code, http_status: status, request_id: requestId, retry_after: retryAfter },
		},
	};
}

/** @param why a sentence from the credential or the token exchange */
export function credentialUnusable(what: string, why: string): NotSent {
	return {
		kind: 'not_sent',
		failure: {
			message: `Nothing was sent for ${what}. ${why}`,
			description: 'Fix the credential, test it, and retry.',
		},
	};
}

export function notSent(what: string, reason: string, advice: string): NotSent {
	const message = `Nothing was sent for ${what}: ${reason}`;
	return { kind: 'not_sent', failure: { message, description: advice } };
}

/**
 * @param reason what came instead of a response, as the second half of a sentence
 * @param status the HTTP status, if there was one
 */
export function unknown(what: string, reason: string, advice: string, status?: number): Failed {
	return {
		kind: 'unknown',
		failure: {
			message: `It is not known whether the platform accepted ${what}: ${reason}`,
			description: advice,
			facts: { http_status: status, reason },
		},
	};
}

/**
 * The failure of a request that changes nothing on the platform, so that it can be sent again.
 *
 * @param reason what came instead of a response, as the second half of a sentence
 */
export function unanswered(what: string, reason: string, advice = '', status?: number): Failed {
	const safe =
		'The request publishes nothing, so it is safe to send it again. The platform may count it twice.';
	return {
		kind: 'unknown',
		failure: {
			message: `No usable response to ${what}: ${reason}`,
			description: `${advice} ${safe}`.trim(),
			facts: { http_status: status, reason },
		},
	};
}

/** An error that n8n or a bug has thrown. */
export function unexpected(thrown: unknown): Failed {
	const error = thrown instanceof Error ? thrown : new Error(String(thrown));
	const { message, description } = error as Partial<NodeError> & Error;
	return { kind: 'invalid', failure: { message, description: description ?? undefined, error } };
}

/** The error by which n8n shows a failed request: message, description and item. */
export function toNodeError(node: INode, itemIndex: number, { kind, failure }: Failed): NodeError {
	const { message, description, facts = {}, error: thrown } = failure;
	if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) {
		thrown.context.itemIndex ??= itemIndex;
		return thrown;
	}
	const data = { outcome: kind, ...facts };
	const { http_status: status } = facts;
	const httpCode = status === undefined ? undefined : String(status);
	const error =
		kind === 'invalid'
			? new NodeOperationError(node, thrown ?? message, { itemIndex, description })
			: new NodeApiError(node, data, { message, description, itemIndex, httpCode });
	error.context.data = data;
	return error;
}

/** Message and description as one paragraph, for readers who are shown nothing else. */
export function paragraphOf({ message, description }: Pick<Failure, 'message' | 'description'>) {
	const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
	return [sentence, description].filter(Boolean).join(' ').replace(/\s+/g, ' ');
}
