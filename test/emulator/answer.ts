import { randomUUID } from 'node:crypto';

import { writeJson } from './exact-json';
import type { Operation } from './routes';

/** What the platform is about to send back; `frames` are the pieces of an event stream. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string;
	frames?: string[];
	/** Whether the request did what it asked for (a token issued, a post accepted, a reply made). */
	tookEffect: boolean;
}

export interface Refusal {
	status?: number;
	code?: number;
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

const CHAT_ERROR_TYPES: Record<number, string> = {
	401: 'authentication_error',
	404: 'invalid_request_error',
	429: 'rate_limit_error',
};

/** A refusal of a chat operation, shaped as the public APIs with these paths shape theirs. */
export function chatRefused(status: number, message: string, code: string | null): Answer {
	const type =
		CHAT_ERROR_TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
	return json(status, { error: { message, type, param: null, code } });
}

/** A refusal in the shape of the operation: an envelope, or an error object for chat. */
export function refusedAs(operation: Operation, refusal: Refusal): Answer {
	if (operation !== 'chatCompletions' && operation !== 'responses') return refused(refusal);
	const status = refusal.status === undefined || refusal.status === 200 ? 400 : refusal.status;
	return chatRefused(
		status,
		refusal.message,
		refusal.code === undefined ? null : `${refusal.code}`,
	);
}
