import type { NoResponse } from './connection';
import type { PlatformOperation } from './settings';

/**
 * The outcome of an item:
 * - `accepted`: the platform has executed the request, or the operation has succeeded without one.
 * - `invalid`: the node's parameters cannot be used, so nothing was sent, or an unexpected error
 *   was thrown.
 * - `refused`: the platform reports that it has not executed the request.
 * - `not_sent`: the request certainly was not sent, or was refused because of its token, and no
 *   other token could be fetched.
 * - `unknown`: the request was sent, but no response shows whether the platform has executed it.
 * - `incomplete`: the response to a chat request contains no complete answer.
 * - `stopped`: the run ended before the request was sent, or sent again after a rate limit.
 */
export type Outcome<T> = Result<T> | Stopped;

/** The outcome of a request that was sent, or that could not be sent. */
export type Result<T> = { kind: 'accepted'; value: T } | Failed;

export interface Failed {
	kind: 'invalid' | 'refused' | 'not_sent' | 'unknown' | 'incomplete';
	failure: Failure;
}

interface Stopped {
	kind: 'stopped';
}

export const stopped: Stopped = { kind: 'stopped' };

/** Describes a failed request, as text for users and as facts for workflows. */
export interface Failure {
	/** A sentence about what happened. */
	message: string;
	/** The part of the message after the colon, which does not mention the request. */
	reason?: string;
	/** Sentences about what to do, with each topic on its own line. */
	description?: string;
	/** Values for workflows that branch on them. They contain no secrets. */
	facts?: Facts;
	/**
	 * The cause, which n8n reads from version 2.37 on. A cause may make n8n send the request again,
	 * so a failure whose outcome is `unknown` has none.
	 */
	cause?: {
		cause:
			'credential-invalid' | 'configuration-invalid' | 'rate-limited' | 'temporarily-unavailable';
		/** Milliseconds that the platform asks to wait. */
		retryAfterMs?: number;
	};
	/** Whether the response is not in the platform's format, for example because a proxy sent it. */
	isForeign?: boolean;
	/**
	 * Whether an earlier attempt left the outcome unknown, and this attempt has not changed it. Such
	 * a failure does not stop the run.
	 */
	isFromEarlierAttempt?: boolean;
	/**
	 * The error that n8n has thrown, or that a bug has caused. n8n's own errors are shown unchanged,
	 * and other errors with their details.
	 */
	error?: Error;
}

export interface Facts {
	/** The platform's business code. */
	code?: number | string;
	http_status?: number;
	request_id?: string;
	retry_after?: string;
	/** The issues with an invalid item, each with its field's label. */
	problems?: Array<{ field: string; message: string }>;
	/** The reason why there is no usable response, which follows a colon in messages. */
	reason?: string;
	/** Facts that help to find the post on the platform, or the content of an incomplete answer. */
	[clue: string]: unknown;
}

/** An issue with a field, or a warning. */
export interface Issue {
	/** The field's label. */
	field: string;
	/** The rest of the message, which follows the label. */
	message: string;
}

/** Joins issues into one string, each with its field's label. */
export function joinIssues(issues: readonly Issue[]) {
	return issues.map(({ field, message }) => `'${field}' ${message}`).join('; ');
}

/** Joins the lines of a description, and omits those that are missing or empty. */
export function lines(...parts: Array<string | false | undefined>) {
	return parts.filter(Boolean).join('\n');
}

export const FIX_CREDENTIAL = 'Fix the credential, test it, and retry.';

const SAFE_TO_REPEAT =
	'The request publishes nothing, so it is safe to send it again. The platform may count it twice.';

/** The properties of a request that its messages depend on. */
export interface RequestKind {
	operation: PlatformOperation;
	/** The name of the request in messages, such as "the post". */
	what: string;
}

/** Whether a request is a chat request, which changes nothing on the platform. */
export const isChat = ({ operation }: RequestKind) =>
	operation === 'chatCompletions' || operation === 'responses';

/** Creates a failure whose message ends with its reason. */
const because = (
	kind: Failed['kind'],
	beginning: string,
	reason: string,
	rest: Omit<Failure, 'message' | 'reason'>,
): Failed => ({ kind, failure: { ...rest, message: `${beginning}: ${reason}`, reason } });

/**
 * Functions that create failures, with these parameters:
 * - `what`: the name of the request in messages
 * - `reason`: the reason for the failure, which follows a colon
 * - `advice`: sentences about what to do
 */
export const failed = {
	/**
	 * Creates the failure for an item with issues, and lists all of them. Nothing was sent for the
	 * item.
	 *
	 * @param name the item's name in messages, if there are several items
	 * @param advice a sentence to add
	 */
	invalid: (name: string | undefined, issues: Issue[], advice?: string): Failed => {
		const text = joinIssues(issues);
		const correct = 'Nothing was sent for this item. Correct the fields named above.';
		return {
			kind: 'invalid',
			failure: {
				message: name ? `${name[0]!.toUpperCase()}${name.slice(1)}: ${text}` : text,
				description: [correct, advice].filter(Boolean).join(' '),
				facts: { problems: issues },
			},
		};
	},

	refused: (what: string, reason: string, rest: Omit<Failure, 'message' | 'reason'>) =>
		because('refused', `The platform refused ${what}`, reason, rest),

	notSent: (what: string, reason: string, advice: string, cause?: Failure['cause']) =>
		because('not_sent', `Nothing was sent for ${what}`, reason, { description: advice, cause }),

	/** @param why sentences about the credential */
	credentialUnusable: (
		what: string,
		why: string,
		rest: Omit<Failure, 'message'> = {
			description: FIX_CREDENTIAL,
			cause: { cause: 'credential-invalid' },
		},
	): Failed => ({
		kind: 'not_sent',
		failure: { ...rest, message: `Nothing was sent for ${what}. ${why}` },
	}),

	/**
	 * Creates the failure for a request without a usable response. A chat request can be resent,
	 * because it changes nothing on the platform.
	 *
	 * @param status the HTTP status, if there was a response
	 */
	unknown: (request: RequestKind, reason: string, advice = '', status?: number) => {
		const beginning = isChat(request)
			? `No usable response to ${request.what}`
			: `It is not known whether the platform accepted ${request.what}`;
		return because('unknown', beginning, reason, {
			description: lines(advice, isChat(request) && SAFE_TO_REPEAT),
			facts: { http_status: status, reason },
		});
	},

	/**
	 * Creates the failure for a request without a response. The outcome is unknown if the request may
	 * have arrived.
	 */
	noResponse: (request: RequestKind, { mayHaveArrived, reason, advice, cause }: NoResponse) =>
		mayHaveArrived
			? failed.unknown(request, reason, advice)
			: failed.notSent(request.what, reason, advice, cause),

	/**
	 * Creates the failure for an error that n8n has thrown or that a bug has caused. Its kind is
	 * `invalid` in both cases.
	 */
	unexpected: (thrown: unknown): Failed => {
		const error = thrown instanceof Error ? thrown : new Error(String(thrown));
		const { message, description } = error as Error & { description?: string | null };
		return { kind: 'invalid', failure: { message, description: description ?? undefined, error } };
	},
};

/** Joins a message and its description into one paragraph, for places that show only one text. */
export function paragraphOf({ message, description }: Failure) {
	const period = /[.!?…]$/.test(message) ? '' : '.';
	return lines(message + period, description).replace(/\s+/g, ' ');
}
