import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { parseIncomingMessage } from '@n8n/backend-network';

/** Node's request with the properties that n8n adds. */
export interface WebhookRequest extends IncomingMessage {
	body?: unknown;
	params: object;
	query: object;
}

/** The error for a body that does not match its content type, to which n8n itself responds with 422. */
export class Unprocessable extends Error {}

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
 * and does not read bodies of other content types.
 *
 * @throws Unprocessable for invalid JSON
 */
export async function parseRequestBody(request: WebhookRequest): Promise<void> {
	const { contentType } = request;
	if (contentType === 'multipart/form-data') {
		await finished(request.resume());
		request.body = { data: {}, files: {} };
		return;
	}
	if (!isParsable(contentType)) return;
	await request.readRawBody();
	const text = request.rawBody.toString(request.encoding);
	request.body = {};
	if (contentType !== 'application/json' || text === '') return;
	try {
		request.body = JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		throw new Unprocessable('Failed to parse request body');
	}
}
