import type { Operation } from './routes';

/**
 * Every fault. `before` strikes on arrival: nothing is done. `after` waits for a request that took
 * effect and spoils its answer. `chat` ones strike chat operations only, `stream` ones those whose
 * answer is a stream. To a chat operation an HTTP status from 400 on comes as `{"error": …}`, all else
 * as to any other.
 */
export const FAULTS = {
	'unauthorized-401': before('HTTP 401 with code 1001 (chat: invalid_api_key)'),
	'token-rejected-200': before('HTTP 200, success false, code 10104 (or the given code)'),
	'rate-limited-429': before('HTTP 429, with Retry-After when retryAfter is given'),
	'too-frequent-200': before('HTTP 200, success false, a message that asks to slow down'),
	'server-error-before': before('HTTP 500, nothing done'),
	'server-error-after': after('HTTP 500 although the request took effect'),
	'reset-before': before('Connection reset before anything is done'),
	'reset-after': after('Connection reset after the request took effect'),
	slow: after('The answer comes after delayMs (default 1000)'),
	'no-answer': after('Takes effect, then never answers'),
	html: before('HTTP 200 with an HTML page, as a gateway in between sends it'),
	'truncated-json': after('Takes effect; the JSON body stops in the middle'),
	'refused-without-code': before('HTTP 200, success false, a message, no code, no data'),
	refused: before('HTTP 200 (or status), success false with the given code and message'),
	redirect: before('A redirect (302, or status) to location on another origin'),
	'success-false-code-200': before('A contradictory envelope: success false, code 200'),
	'success-true-code-500': before('A contradictory envelope: success true, code 500'),
	'echo-secrets': before('A refusal whose message repeats the secrets of the request'),
	'stream-cut': chat('A chat answer whose connection breaks in the middle, or after afterFrames'),
	'stream-error': stream('A streamed chat answer that tells of an error in the middle and ends'),
	'slow-first-token': chat('The first piece of a chat answer comes after delayMs'),
} as const satisfies Record<string, Fault>;

export interface Fault {
	about: string;
	phase: 'before' | 'after';
	chatOnly: boolean;
	streamOnly: boolean;
}

export type FaultKind = keyof typeof FAULTS;

/** What a fault does to the request it strikes. */
export interface FaultEffect {
	kind: FaultKind;
	/** Seconds or an HTTP date, sent as Retry-After. */
	retryAfter?: number | string;
	/** Milliseconds, for the slow ones. */
	delayMs?: number;
	/** A business code; chat errors may have a word for it. */
	code?: number | string;
	message?: string;
	/** Target of `redirect`. */
	location?: string;
	/** HTTP status of `redirect`, `refused` and `echo-secrets`. */
	status?: number;
	/** Whether a chat operation gets an envelope for an HTTP status from 400 on too. */
	envelope?: boolean;
	/** How many frames of a stream get through before `stream-cut` or `stream-error`: half, if left out. */
	afterFrames?: number;
}

/** Which requests a fault strikes. */
export interface FaultAim {
	/** Which operation it strikes. Left out: every one but getAccessToken. `any`: every one. */
	operation?: Exclude<Operation, 'other'> | 'any';
	/** Strikes only requests whose body holds this text. */
	bodyHas?: string;
	/** How many requests it strikes: 1 (default) … Infinity. */
	times?: number;
	/** Share of requests it strikes, 0..1, instead of `times`. */
	rate?: number;
}

export type FaultSpec = FaultEffect & FaultAim;

/**
 * Strikes with one of several effects, chosen at random by the emulator's seed. Whether it strikes
 * and how is decided on arrival, whatever the phase of the chosen effect: a `rate` of 0.2 picks 20 %
 * of all requests. An effect that comes `after` still spares a request that takes no effect.
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
