import { NodeApiError, type INode } from 'n8n-workflow';
import type { ClientRequest, RequestTracker } from '../protocol/connection';

/** Node's `ClientRequest`, as far as a body is written with it. */
interface WritableRequest extends ClientRequest {
	setHeader(name: string, value: string): unknown;
	end(body: string): unknown;
}

/**
 * A JSON body that finds out which request sends it. n8n 1 removes the HTTP client's request from its
 * errors, so that a request that never left looks like one without a response. Its HTTP client passes the
 * request to a body with a `pipe` method. Any other client finds an ordinary object.
 */
export class WatchedBody {
	readonly #tracker: RequestTracker;

	constructor(body: Record<string, unknown>, tracker: RequestTracker) {
		this.#tracker = tracker;
		Object.assign(this, body);
	}

	pipe(request: WritableRequest): void {
		this.#tracker.request = request;
		request.setHeader('Content-Type', 'application/json');
		request.end(JSON.stringify(this));
	}

	/** The body is complete from the start, so it has no events. */
	on(): this {
		return this;
	}

	once(): this {
		return this;
	}
}

/** Fields of a body with these names would hide the methods. */
const METHODS = ['pipe', 'on', 'once'];

/** Whether n8n's errors keep the error of the HTTP client, with its request. */
const keepsCause = new NodeApiError({} as INode, new Error('') as never).cause instanceof Error;

/** The body of a request. Where n8n does not tell the request, the body passes it to the tracker. */
export function watchedBody(body: Record<string, unknown>, tracker: RequestTracker): object {
	const isPlain = keepsCause || METHODS.some((name) => name in body);
	return isPlain ? body : new WatchedBody(body, tracker);
}
