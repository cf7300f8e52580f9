import { json, type Answer } from '../answer';

/** The errors that the public APIs with these paths return for an HTTP status. */
const ERRORS: Record<number, { type: string; code: string | null; message: string }> = {
	401: {
		type: 'authentication_error',
		code: 'invalid_api_key',
		message: 'Incorrect API key provided.',
	},
	405: {
		type: 'invalid_request_error',
		code: 'method_not_supported',
		message: 'This method is not allowed here.',
	},
	429: {
		type: 'rate_limit_error',
		code: 'rate_limit_exceeded',
		message: 'Rate limit reached. Please try again later.',
	},
};

const BAD_REQUEST = {
	type: 'invalid_request_error',
	code: null,
	message: 'The request was refused.',
};

export const SERVER_ERROR = {
	type: 'server_error',
	code: null,
	message: 'The server had an error while processing your request.',
};

/** Returns a refusal of a chat operation by HTTP status, in the format of those APIs. */
export function chatRefused(
	status: number,
	{ code, message }: { code?: number | string; message?: string } = {},
): Answer {
	const words = ERRORS[status] ?? (status >= 500 ? SERVER_ERROR : BAD_REQUEST);
	const error = {
		message: message ?? words.message,
		type: words.type,
		param: null,
		code: code === undefined ? words.code : String(code),
	};
	return json(status, { error });
}
