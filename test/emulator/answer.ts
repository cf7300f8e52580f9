import { randomUUID } from 'node:crypto';

import { writeJson } from './exact-json';

/** The frames of an event stream; the `closing` ones say that it is over, and why. */
export interface EventStream {
	said: string[];
	closing: string[];
}

/** What the platform is about to send back: a body, or a stream. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string;
	stream?: EventStream;
	/** Whether the request did what it asked for (a token issued, a post accepted, a reply made). */
	tookEffect: boolean;
}

export interface Refusal {
	status?: number;
	code?: number | string;
	message: string;
	data?: unknown;
	/** Only for contradictory envelopes. */
	success?: boolean;
}

/** A JSON answer; bigints become integer literals. */
export function json(status: number, value: unknown, tookEffect = false): Answer {
	const headers = { 'content-type': 'application/json; charset=utf-8' };
	return { status, headers, body: writeJson(value), tookEffect };
}

/** The success envelope (platform interface, Business response envelope). */
export function accepted(data: unknown): Answer {
	const envelope = { requestId: randomUUID(), success: true, message: '请求成功', code: 200, data };
	return json(200, envelope, true);
}

/** A refusal: HTTP 200, `success: false`, a message in Chinese, no `data` (contract: error envelope). */
export function refused({ status = 200, success = false, message, code, data }: Refusal): Answer {
	return json(status, { requestId: randomUUID(), success, message, code, data });
}
