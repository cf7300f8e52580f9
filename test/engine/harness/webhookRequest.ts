import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { parseIncomingMessage } from '@n8n/backend-network';

/** Node's request with the properties that n8n adds. */
export interface WebhookRequest extends IncomingMessage {
	params: object;
	query: object;
}

const ignoreError = () => {};

/** Returns the decompressed body. Throws if it cannot be decompressed or is shorter than announced. */
async function rawBodyOf(request: IncomingMessage): Promise<Buffer> {
	const isZipped = request.headers['content-encoding'] === 'gzip';
	const stream: Readable = isZipped ? pipeline(request, createGunzip(), ignoreError) : request;
	return Buffer.concat((await stream.toArray()) as Buffer[]);
}

/** Prepares a request as n8n's middleware `rawBodyReader` does. */
export function asWebhookRequest(incoming: IncomingMessage): WebhookRequest {
	parseIncomingMessage(incoming);
	const request: WebhookRequest = Object.assign(incoming as WebhookRequest, {
		params: {},
		query: {},
		readRawBody: async () => {
			request.rawBody ??= await rawBodyOf(request);
		},
	});
	return request;
}

/** Whether n8n reads a body of this content type before it runs a node of version 2 or later. */
const isParsable = (type: string | undefined): boolean =>
	type !== undefined &&
	(/^(?:application\/json|text\/plain|application\/x-www-form-urlencoded)/.test(type) ||
		/(?:\/|\+)xml$/.test(type));

/**
 * Reads the body as n8n does for a node of version 2. It does not keep the raw body of a form with files,
 * and does not read bodies of other content types. The trigger does not use what n8n parses.
 */
export async function readRequestBody(request: WebhookRequest): Promise<void> {
	if (request.contentType === 'multipart/form-data') await finished(request.resume());
	else if (isParsable(request.contentType)) await request.readRawBody();
}
