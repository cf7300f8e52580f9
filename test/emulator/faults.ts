import type { Operation } from './routes';

/**
 * All faults. `before` applies when a request arrives, which then has no effect. `after` damages the
 * response to a request that took effect. `chat` applies only to chat operations, and `stream` only to
 * streams. Chat operations get `{"error": …}` with HTTP status 400 or higher, and the business envelope
 * otherwise.
 */
export const FAULTS = {
	'unauthorized-401': before('HTTP 401 with code 1001 (chat: invalid_api_key)'),
	'token-rejected-200': before('HTTP 200, success false, code 10104 (or the given code)'),
	'rate-limited-429': before('HTTP 429, with Retry-After when retryAfter is given'),
	'too-frequent-200': before('HTTP 200, success false, a message that asks to slow down'),
	'server-error-before': before('HTTP 500, and the request has no effect'),
	'server-error-after': after('HTTP 500 although the request took effect'),
	'reset-before': before('Connection reset, and the request has no effect'),
	'reset-after': after('Connection reset after the request took effect'),
	slow: after('The response is sent after delayMs (default 1000)'),
	'no-answer': after('The request takes effect, but gets no response'),
	html: before('HTTP 200 with an HTML page, like that of a gateway'),
	'truncated-json': after('The request takes effect, but the JSON body stops in the middle'),
	'refused-without-code': before('HTTP 200, success false, a message, no code, no data'),
	refused: before('HTTP 200 (or status), success false with the given code and message'),
	redirect: before('A redirect (302, or status) to location on another origin'),
	'success-false-code-200': before('A contradictory envelope: success false, code 200'),
	'success-true-code-500': before('A contradictory envelope: success true, code 500'),
	'echo-secrets': before('A refusal whose message repeats the secrets of the request'),
	'stream-cut': chat(
		'The connection closes in the middle of a chat response, or after afterFrames',
	),
	'stream-error': stream('A streamed chat response contains an error in the middle and ends'),
	'slow-first-token': chat('The first piece of a chat response is sent after delayMs'),
} as const satisfies Record<string, Fault>;

export interface Fault {
	about: string;
	phase: 'before' | 'after';
	chatOnly: boolean;
	streamOnly: boolean;
}

export type FaultKind = keyof typeof FAULTS;

/** The effect of a fault on a request. */
export interface FaultEffect {
	kind: FaultKind;
	/** The value of Retry-After in seconds or as an HTTP date. */
	retryAfter?: number | string;
	/** The delay of `slow` and `slow-first-token` in milliseconds. */
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
	/** The number of frames before `stream-cut` or `stream-error`. The default is half of them. */
	afterFrames?: number;
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

function before(about: string): Fault {
	return { about, phase: 'before', chatOnly: false, streamOnly: false };
}

function after(about: string): Fault {
	return { about, phase: 'after', chatOnly: false, streamOnly: false };
}

function chat(about: string): Fault {
	return { about, phase: 'after', chatOnly: true, streamOnly: false };
}

function stream(about: string): Fault {
	return { about, phase: 'after', chatOnly: true, streamOnly: true };
}
