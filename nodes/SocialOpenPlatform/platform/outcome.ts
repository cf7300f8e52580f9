import {
	NodeApiError,
	NodeOperationError,
	type Failure as NodeFailure,
	type IBinaryKeyData,
	type INode,
} from 'n8n-workflow';
import type { Operation } from './settings';

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
export type Outcome<T> = Result<T> | Stopped;

/** The outcome of a request that was sent, or that could not be sent. */
export type Result<T> =
	/** `binary` contains the files of the output item. */
	{ kind: 'accepted'; value: T; binary?: IBinaryKeyData } | Failed;

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
	/** The end of the message, which follows a colon: what happened, without the name of the request. */
	reason?: string;
	/** Sentences about what to do, each subject on a line of its own. */
	description?: string;
	/** Values for workflows that branch on them. They contain no secrets. */
	facts?: Facts;
	/**
	 * The cause, for n8n from 2.37. A failure whose outcome is `unknown` has none, because a cause
	 * may make n8n send the request again.
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
	/** The issues of an invalid item, by the labels of its fields. */
	problems?: Array<{ field: string; message: string }>;
	/** The event that replaced the response. It follows a colon in a message. */
	reason?: string;
	/** Facts that help to find the post on the platform, or the content of an incomplete response. */
	[clue: string]: unknown;
}

export type NodeError = NodeApiError | NodeOperationError;

/** Joins the lines of a description. */
export function lines(...parts: Array<string | false | undefined>) {
	return parts.filter(Boolean).join('\n');
}

export const FIX_CREDENTIAL = 'Fix the credential, test it, and retry.';

const SAFE_TO_REPEAT =
	'The request publishes nothing, so it is safe to send it again. The platform may count it twice.';

/** The properties of a request on which its messages depend. */
export interface RequestKind {
	operation: Operation;
	/** The name of the request in messages, such as "the post". */
	what: string;
}

/** Creates failures. `what` is the name of the request in messages. */
export const failed = {
	refused(what: string, reason: string, rest: Omit<Failure, 'message'>): Failed {
		const message = `The platform refused ${what}: ${reason}`;
		return { kind: 'refused', failure: { message, reason, ...rest } };
	},

	/**
	 * @param why a sentence about the credential
	 * @param rest the rest of the failure
	 */
	credentialUnusable(
		what: string,
		why: string,
		rest: Omit<Failure, 'message'> = {
			description: FIX_CREDENTIAL,
			cause: { cause: 'credential-invalid' },
		},
	): Failed {
		return {
			kind: 'not_sent',
			failure: { message: `Nothing was sent for ${what}. ${why}`, ...rest },
		};
	},

	notSent(what: string, reason: string, advice: string, cause?: NodeFailure): Failed {
		const message = `Nothing was sent for ${what}: ${reason}`;
		return { kind: 'not_sent', failure: { message, reason, description: advice, cause } };
	},

	/** @param status the HTTP status, if there was a response */
	unknown(what: string, reason: string, advice: string, status?: number): Failed {
		return {
			kind: 'unknown',
			failure: {
				message: `It is not known whether the platform accepted ${what}: ${reason}`,
				reason,
				description: advice,
				facts: { http_status: status, reason },
			},
		};
	},

	/** The failure of a request that changes nothing on the platform, and can therefore be sent again. */
	noUsableResponse(what: string, reason: string, advice = '', status?: number): Failed {
		const { kind, failure } = failed.unknown(what, reason, lines(advice, SAFE_TO_REPEAT), status);
		const message = `No usable response to ${what}: ${reason}`;
		return { kind, failure: { ...failure, message } };
	},

	/** The failure of a request without a usable response. Chat requests can be sent again. */
	unclear(
		{ operation, what }: RequestKind,
		reason: string,
		advice: string,
		status?: number,
	): Failed {
		const isChat = operation === 'chatCompletions' || operation === 'responses';
		return failed[isChat ? 'noUsableResponse' : 'unknown'](what, reason, advice, status);
	},

	/** The failure for an error that n8n has thrown or that a bug has caused. */
	unexpected(thrown: unknown): Failed {
		const error = thrown instanceof Error ? thrown : new Error(String(thrown));
		const { message, description } = error as Partial<NodeError> & Error;
		return { kind: 'invalid', failure: { message, description: description ?? undefined, error } };
	},
};

export const { credentialUnusable, notSent, unknown, noUsableResponse, unexpected } = failed;

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
	const httpCode = facts.http_status?.toString();
	const error =
		kind === 'invalid'
			? new NodeOperationError(node, thrown ?? message, thrown && { itemIndex })
			: new NodeApiError(node, data, { message, httpCode, failure: cause });
	error.context.data = data;
	if (thrown) return error;
	// n8n replaces a message that contains the name of a system error, even inside a word.
	error.message = message;
	return withDescription(error, description);
}

/**
 * Sets the description of an error. n8n's editor shows HTML, which it takes from the template;
 * everything else reads the text.
 */
export function withDescription(error: NodeError, description: string | undefined) {
	error.description = description;
	error.context.descriptionTemplate = description && toHtml(description);
	return error;
}

/** Adds lines to the description of an error. The description of an error of n8n may be HTML. */
export function withLines(error: NodeError, added: string) {
	if (!added) return error;
	const { context, description } = error;
	const template = (context.descriptionTemplate ?? description) as string | undefined;
	error.description = lines(description ?? undefined, added);
	context.descriptionTemplate = `${template ? `${template}<br>` : ''}${toHtml(added)}`;
	return error;
}

/** Text as HTML, for the places where n8n's editor shows HTML. */
export function toHtml(text: string) {
	return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/\n/g, '<br>');
}

/** Joins message and description into one paragraph, for places where only one text is shown. */
export function paragraphOf({ message, description }: Pick<Failure, 'message' | 'description'>) {
	const period = /[.!?…]$/.test(message) ? '' : '.';
	return lines(message + period, description).replace(/\s+/g, ' ');
}
