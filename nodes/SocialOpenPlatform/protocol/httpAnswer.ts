/** What of an HTTP response is looked at. `body` is the text as it came. */
export interface HttpAnswer {
	status: number;
	body: string;
	/** The Location header of a redirect. */
	location?: string;
	/** The Retry-After header as it came: seconds or an HTTP date (RFC 9110, section 10.2.3). */
	retryAfter?: string;
	/** The Date header: the time by the server's clock (RFC 9110, section 6.6.1). */
	date?: string;
}

/**
 * Options of n8n's HTTP helper under which every answer comes back as it is: as bytes (n8n's own JSON
 * parsing loses digits of 64-bit integers), with its status, and never from another address.
 */
export const wholeAnswer = {
	json: true,
	encoding: 'arraybuffer',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/** What n8n's HTTP helper returns under {@link wholeAnswer}, as far as it is read. */
export interface WholeResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: Uint8Array;
}

export function toHttpAnswer(response: WholeResponse): HttpAnswer {
	return {
		status: response.statusCode,
		body: Buffer.from(response.body).toString('utf8'),
		location: response.headers.location,
		retryAfter: response.headers['retry-after'],
		date: response.headers.date,
	};
}
