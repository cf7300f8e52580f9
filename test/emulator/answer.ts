import { randomUUID } from 'node:crypto';

import { writeJson } from './exact-json';

/** The frames of an event stream. The `closing` frames contain its end and the reason. */
export interface EventStream {
	content: string[];
	closing: string[];
}

/** The response to send, with a body or a stream. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string;
	stream?: EventStream;
	/** Whether the request took effect: a token was issued, a post accepted or a reply created. */
	tookEffect: boolean;
}

export interface Refusal {
	status?: number;
	code?: number | string;
	message: string;
	data?: unknown;
	/** Set only for contradictory envelopes. */
	success?: boolean;
}

/** Returns a JSON response in which bigints are integer literals. */
export function json(status: number, value: unknown, tookEffect = false): Answer {
	const headers = { 'content-type': 'application/json; charset=utf-8' };
	return { status, headers, body: writeJson(value), tookEffect };
}

/** Returns the success envelope (platform interface, Business response envelope). */
export function accepted(data: unknown): Answer {
	const envelope = { requestId: randomUUID(), success: true, message: '请求成功', code: 200, data };
	return json(200, envelope, true);
}

/** Returns the error envelope, by default with HTTP 200 (contract: error envelope). */
export function refused({ status = 200, success = false, message, code, data }: Refusal): Answer {
	return json(status, { requestId: randomUUID(), success, message, code, data });
}
