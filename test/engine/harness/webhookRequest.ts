import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip, createInflate } from 'node:zlib';
import { parseIncomingMessage } from '@n8n/backend-network';

/** Node's request with the properties that n8n adds. */
export interface WebhookRequest extends IncomingMessage {
	body?: unknown;
	params: object;
	query: object;
}

/** The error for a body that does not match its content type, to which n8n itself responds with 422. */
export class Unprocessable extends Error {}

/** The default of n8n's limit N8N_PAYLOAD_SIZE_MAX, in bytes. */
const PAYLOAD_SIZE_MAX = 16 * 1024 * 1024;

const ignoreError = () => {};

/** Returns the decompressed body. Throws if it is too large or shorter than announced. */
async function rawBodyOf(request: IncomingMessage): Promise<Buffer> {
	const encoding = request.headers['content-encoding'];
	const unpack =
		encoding === 'gzip' ? createGunzip() : encoding === 'deflate' ? createInflate() : undefined;
	const stream: Readable = unpack ? pipeline(request, unpack, ignoreError) : request;
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
		chunks.push(chunk as Buffer);
		length += (chunk as Buffer).length;
		if (length > PAYLOAD_SIZE_MAX) throw new Error('request entity too large');
	}
	return Buffer.concat(chunks);
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
