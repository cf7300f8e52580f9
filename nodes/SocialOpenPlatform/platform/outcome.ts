import {
	NodeApiError,
	NodeOperationError,
	type Failure as NodeFailure,
	type IBinaryKeyData,
	type INode,
} from 'n8n-workflow';
import type { Refusal } from './answer';

/**
 * The outcome of the request of an item:
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

export interface Stopped {
	kind: 'stopped';
}

export const stopped: Stopped = { kind: 'stopped' };

/** Describes a failed request, as text for users and as facts for workflows. */
interface Failure {
	/** A sentence about what happened. */
	message: string;
	/** Sentences about what to do, each subject on a line of its own. */
	description?: string;
	/** Values for workflows that branch on them. They contain no secrets. */
	facts?: Facts;
	/**
	 * The cause, for n8n from 2.37. A failure whose outcome is `unknown` has none, because a cause may
	 * make n8n send the request again.
	 */
	cause?: NodeFailure;
	/**
	 * Whether an earlier request has left the outcome unknown, and this attempt has not changed it.
	 * Such a failure does not stop the run.
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
	/** The event that replaced the response. It follows a colon in a message. */
	reason?: string;
	/** Facts that help to find the post on the platform, or the content of an incomplete response. */
	[clue: string]: unknown;
}

export type NodeError = NodeApiError | NodeOperationError;

/** Joins the lines of a description. */
export function lines(...parts: Array<string | false | undefined>): string {
	return parts.filter(Boolean).join('\n');
}

/** @param what the name of the request in messages, such as "the post" */
export function refused(what: string, refusal: Refusal): Failed {
	const { reason, advice, cause, code, status, requestId, retryAfter, retryAfterMs } = refusal;
	const wait = retryAfter && `The platform asks you to wait: Retry-After ${retryAfter}.`;
	const trace = requestId && `Request ID: ${requestId}.`;
	return {
		kind: 'refused',
		failure: {
			message: `The platform refused ${what}: ${reason}`,
			description: lines(advice, wait, trace),
			facts: { code, http_status: status, request_id: requestId, retry_after: retryAfter },
			cause: cause === 'rate-limited' ? { cause, retryAfterMs } : cause && { cause },
		},
	};
}

/**
 * The failure of a request for which no token could be fetched.
 *
 * @param why a sentence about the token exchange
 * @param pause the pause of token exchanges after a rate limit
 */
export function noToken(
	what: string,
	why: string,
	pause?: { until: number; retryAfter?: string },
): Failed {
	const { kind, failure } = credentialUnusable(what, why);
	const { message, description } = failure;
	if (!pause) return { kind, failure: { message, description } };
	const retryAfterMs = Math.max(0, pause.until - performance.now());
	const cause = { cause: 'rate-limited', retryAfterMs } as const;
	return { kind, failure: { message, facts: { retry_after: pause.retryAfter }, cause } };
}

/** @param why a sentence about the credential */
export function credentialUnusable(what: string, why: string): Failed {
	return {
		kind: 'not_sent',
		failure: {
			message: `Nothing was sent for ${what}. ${why}`,
			description: 'Fix the credential, test it, and retry.',
			cause: { cause: 'credential-invalid' },
		},
	};
}

export function notSent(what: string, reason: string, advice: string, cause?: NodeFailure): Failed {
	const message = `Nothing was sent for ${what}: ${reason}`;
	return { kind: 'not_sent', failure: { message, description: advice, cause } };
}

/**
 * @param reason the event that replaced the response; it follows a colon in the message
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
 * @param reason the event that replaced the response; it follows a colon in the message
 */
export function noUsableResponse(
	what: string,
	reason: string,
	advice = '',
	status?: number,
): Failed {
	const safe =
		'The request publishes nothing, so it is safe to send it again. The platform may count it twice.';
	const { kind, failure } = unknown(what, reason, lines(advice, safe), status);
	return { kind, failure: { ...failure, message: `No usable response to ${what}: ${reason}` } };
}

/** The failure for an error that n8n has thrown or that a bug has caused. */
export function unexpected(thrown: unknown): Failed {
	const error = thrown instanceof Error ? thrown : new Error(String(thrown));
	const { message, description } = error as Partial<NodeError> & Error;
	return { kind: 'invalid', failure: { message, description: description ?? undefined, error } };
}

/**
 * The error with which n8n shows a failed request. Its data contain the index of its item. The
 * context does not, because n8n would add the index to the message, and it counts from 0.
 */
export function toNodeError(node: INode, itemIndex: number, { kind, failure }: Failed): NodeError {
	const { message, description, facts = {}, cause, error: thrown } = failure;
	if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) {
		thrown.context.itemIndex ??= itemIndex;
		return thrown;
	}
	const data = { outcome: kind, ...facts, item_index: itemIndex };
	const { http_status: status } = facts;
	const httpCode = status === undefined ? undefined : String(status);
	const error =
		kind === 'invalid'
			? new NodeOperationError(node, thrown ?? message, thrown && { itemIndex })
			: new NodeApiError(node, data, { message, httpCode, failure: cause });
	error.context.data = data;
	if (thrown) return error;
	// n8n replaces a message that contains the name of a system error, even inside of a word.
	error.message = message;
	return withDescription(error, description);
}

/**
 * Sets the description of an error. n8n's editor shows HTML, which it takes from the template;
 * everything else reads the text.
 */
export function withDescription(error: NodeError, description: string | undefined): NodeError {
	error.description = description;
	error.context.descriptionTemplate = description && toHtml(description);
	return error;
}

/** Adds lines to the description of an error. The description of an error of n8n may be HTML. */
export function withLines(error: NodeError, added: string): NodeError {
	if (!added) return error;
	const template = (error.context.descriptionTemplate ?? error.description) as string | undefined;
	error.description = lines(error.description ?? undefined, added);
	error.context.descriptionTemplate = template ? `${template}<br>${toHtml(added)}` : toHtml(added);
	return error;
}

/** Text as HTML, for the places where n8n's editor shows HTML. */
export function toHtml(text: string): string {
	const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
	return escaped.replace(/\n/g, '<br>');
}

/** Joins message and description into one paragraph, for places where only one text is shown. */
export function paragraphOf({ message, description }: Pick<Failure, 'message' | 'description'>) {
	const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
	return [sentence, description].filter(Boolean).join(' ').replace(/\s+/g, ' ');
}
