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
 * parsing loses digits of 64-bit integers) that can be counted while they come, with its status, and
 * never from another address.
 */
export const wholeAnswer = {
	json: true,
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/** Bytes as they come; Node's readable streams are such. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
	destroy(): void;
}

/** What n8n's HTTP helper returns under {@link wholeAnswer}, as far as it is read. */
export interface StreamedResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: ByteStream;
}

/**
 * The whole answer. The status of a refusal is enough where its body is too large: that is left out.
 *
 * @returns undefined when the body of any other answer is larger than `maxBytes`
 */
export async function readHttpAnswer(
	{ statusCode, headers, body }: StreamedResponse,
	maxBytes: number,
): Promise<HttpAnswer | undefined> {
	const bytes = await bytesOf(body, maxBytes);
	if (!bytes && statusCode < 300) return undefined;
	return {
		status: statusCode,
		body: bytes?.toString('utf8') ?? '',
		location: headers.location,
		retryAfter: headers['retry-after'],
		date: headers.date,
	};
}

/**
 * n8n sets no limit of its own, and a packed answer may be a thousand times as large when unpacked.
 *
 * @returns undefined when there are too many; the connection is then closed
 */
async function bytesOf(body: ByteStream, maxBytes: number): Promise<Buffer | undefined> {
	const pieces: Uint8Array[] = [];
	let length = 0;
	for await (const piece of body) {
		length += piece.length;
		if (length > maxBytes) return undefined;
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}
