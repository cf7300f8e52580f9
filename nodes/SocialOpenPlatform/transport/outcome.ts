import { NodeApiError, NodeOperationError, type IBinaryKeyData, type INode } from 'n8n-workflow';
import type { Refusal } from '../protocol/answer';
import type { Issue } from '../protocol/issue';

/**
 * How the request of an item ended:
 * - `accepted`: the platform has executed the request.
 * - `invalid`: the parameters of the node cannot be used. Nothing was sent.
 * - `refused`: the platform reports that it has not executed the request.
 * - `not_sent`: the request certainly was not sent.
 * - `unknown`: the request was sent, but no response shows whether the platform has executed it.
 * - `incomplete`: a part of the requested content is missing from the response.
 * - `stopped`: the run ended before the request was sent.
 */
export type Outcome<T> = Accepted<T> | Failed | Stopped;

interface Accepted<T> {
	kind: 'accepted';
	value: T;
	/** Files of the output item. */
	binary?: IBinaryKeyData;
}

export interface Failed {
	kind: 'invalid' | 'refused' | 'not_sent' | 'unknown' | 'incomplete';
	failure: Failure;
}

/** The failure of a request that certainly was not sent. */
export interface NotSent extends Failed {
	kind: 'not_sent';
}

export interface Stopped {
	kind: 'stopped';
}

export const stopped: Stopped = { kind: 'stopped' };

/** Describes a failed request, as text for users and as facts for workflows. */
interface Failure {
	/** A sentence about what happened. */
	message: string;
	/** Sentences about what to do. */
	description?: string;
	/** Values for workflows that branch on them. They contain no secrets. */
	facts?: Facts;
	/**
	 * Whether the failure comes from an earlier attempt of the execution, and nothing was sent at
	 * this attempt.
	 */
	isFromEarlierAttempt?: boolean;
	/**
	 * The error that n8n has thrown, or that a bug has caused. n8n shows an error of its own kind
	 * unchanged, and other errors with their details.
	 */
	error?: Error;
}

export interface Facts {
	/** The platform's business code. */
	code?: number | string;
	http_status?: number;
	request_id?: string;
	retry_after?: string;
	/** What happened instead of a response, as the second half of a sentence. */
	reason?: string;
	/** Facts that help to find the post on the platform, or the content of an incomplete response. */
	[clue: string]: unknown;
}

export type NodeError = NodeApiError | NodeOperationError;

/**
 * The failure of an item with issues. It lists all issues at once, and nothing was sent for the
 * item.
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

/** @param what how messages name the request, such as "the post" */
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

/** @param why a sentence about the credential or the token exchange */
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
 * @param reason what happened instead of a response, as the second half of a sentence
 * @param status the HTTP status, if there was a response
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
 * The failure of a request that changes nothing on the platform, and can therefore be sent again.
 *
 * @param reason what happened instead of a response, as the second half of a sentence
 */
export function noUsableResponse(
	what: string,
	reason: string,
	advice = '',
	status?: number,
): Failed {
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

/** The failure for an error that n8n has thrown or that a bug has caused. */
export function unexpected(thrown: unknown): Failed {
	const error = thrown instanceof Error ? thrown : new Error(String(thrown));
	const { message, description } = error as Partial<NodeError> & Error;
	return { kind: 'invalid', failure: { message, description: description ?? undefined, error } };
}

/** The error with which n8n shows a failed request: its message, description and item. */
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

/** Joins message and description into one paragraph, for places where only one text is shown. */
export function paragraphOf({ message, description }: Pick<Failure, 'message' | 'description'>) {
	const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
	return [sentence, description].filter(Boolean).join(' ').replace(/\s+/g, ' ');
}
