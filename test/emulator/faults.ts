import type { Operation } from './routes';

/**
 * When a fault applies. `before` applies when a request arrives, which then has no effect. `after` damages the
 * response to a request that took effect. So do `chat`, only in chat operations, and `stream`, only in streams.
 */
export type FaultScope = 'before' | 'after' | 'chat' | 'stream';

/**
 * All faults. Chat operations get `{"error": …}` with HTTP status 400 or higher, and the business envelope
 * otherwise.
 */
export const FAULTS = {
	/** HTTP 401 with code 1001 (chat: invalid_api_key). */
	'unauthorized-401': 'before',
	/** HTTP 200, success false, code 10104 or the given code. */
	'token-rejected-200': 'before',
	/** HTTP 429, with Retry-After when retryAfter is given. */
	'rate-limited-429': 'before',
	/** HTTP 200, success false, and a message that asks to slow down. */
	'too-frequent-200': 'before',
	/** HTTP 500, and the request has no effect. */
	'server-error-before': 'before',
	/** HTTP 500 although the request took effect. */
	'server-error-after': 'after',
	/** The connection is reset. */
	'reset-before': 'before',
	'reset-after': 'after',
	/** The response is sent after delayMs (default 1000). */
	slow: 'after',
	/** The request takes effect, but gets no response. */
	'no-answer': 'after',
	/** HTTP 200 with an HTML page, like that of a gateway. */
	html: 'before',
	/** The JSON body stops in the middle. */
	'truncated-json': 'after',
	/** HTTP 200, success false, a message, no code and no data. */
	'refused-without-code': 'before',
	/** HTTP 200 (or status), success false with the given code and message. */
	refused: 'before',
	/** A redirect (302, or status) to location on another origin. */
	redirect: 'before',
	/** Contradictory envelopes. */
	'success-false-code-200': 'before',
	'success-true-code-500': 'before',
	/** A refusal whose message repeats the secrets of the request. */
	'echo-secrets': 'before',
	/** The connection closes in the middle of a chat response. */
	'stream-cut': 'chat',
	/** A streamed chat response contains an error in the middle and ends. */
	'stream-error': 'stream',
} as const satisfies Record<string, FaultScope>;

export type FaultKind = keyof typeof FAULTS;

/** The effect of a fault on a request. */
export interface FaultEffect {
	kind: FaultKind;
	/** The value of Retry-After in seconds or as an HTTP date. */
	retryAfter?: number | string;
	/** The delay of `slow` in milliseconds. */
	delayMs?: number;
	/** A business code, which may be text in chat errors. */
	code?: number | string;
	message?: string;
	/** The target of `redirect`. */
	location?: string;
	/** The HTTP status of `redirect`, `refused` and `echo-secrets`. */
	status?: number;
	/** Whether a chat operation gets the business envelope even with HTTP status 400 or higher. */
	envelope?: boolean;
}

/** The requests to which a fault applies. */
export interface FaultAim {
	/** The operation, or `any` for all. The default is all except getAccessToken. */
	operation?: Exclude<Operation, 'other'> | 'any';
	/** A text that the body must contain. */
	bodyHas?: string;
	/** The number of requests, by default 1, or Infinity. */
	times?: number;
	/** The share of requests from 0 to 1, instead of `times`. */
	rate?: number;
}

export type FaultSpec = FaultEffect & FaultAim;

/**
 * A fault with several effects, of which one is chosen with the emulator's seed when a request arrives. A
 * `rate` of 0.2 therefore selects 20 % of all requests. An `after` effect still does not apply to a request
 * that takes no effect.
 */
export type FaultMix = FaultAim & { oneOf: FaultEffect[] };
