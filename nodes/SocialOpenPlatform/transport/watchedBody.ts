import { NodeApiError, type INode } from 'n8n-workflow';
import type { ClientRequest, RequestTracker } from '../protocol/connection';

/** The parts of Node's `ClientRequest` that are used to write a body. */
interface WritableRequest extends ClientRequest {
	setHeader(name: string, value: string): unknown;
	end(body: string): unknown;
}

/**
 * A JSON body that records the HTTP client's request with which it is sent. n8n 1 removes this
 * request from its errors, so it would not be clear whether the request was sent at all. The HTTP
 * client of n8n 1 passes the request to a body with a `pipe` method. Other HTTP clients treat the
 * body as an ordinary object.
 */
export class WatchedBody {
	readonly #tracker: RequestTracker;

	constructor(body: Record<string, unknown>, tracker: RequestTracker) {
		this.#tracker = tracker;
		// An assignment would change the prototype if a field is called __proto__.
		Object.defineProperties(this, Object.getOwnPropertyDescriptors(body));
	}

	pipe(request: WritableRequest): void {
		this.#tracker.request = request;
		request.setHeader('Content-Type', 'application/json');
		request.end(JSON.stringify(this));
	}

	/**
	 * The HTTP client calls this method, but a body that is complete from the start has no events.
	 */
	on(): this {
		return this;
	}

	once(): this {
		return this;
	}
}

/** Methods of a watched body. Fields of a body with the same names would hide them. */
const METHODS = ['pipe', 'on', 'once'];

/** Whether n8n's errors contain the error of the HTTP client, and with it the request. */
const keepsCause = new NodeApiError({} as INode, new Error('') as never).cause instanceof Error;

/**
 * The body of a request. If n8n's errors do not contain the request, the body records it in the
 * tracker. The HTTP client copies a plain object, but not its fields with names such as `constructor`.
 * Because of the symbol, it sends the object as it is.
 */
export function watchedBody(body: Record<string, unknown>, tracker: RequestTracker): object {
	const isPlain = keepsCause || METHODS.some((name) => name in body);
	return isPlain ? { ...body, [Symbol.toStringTag]: 'Object' } : new WatchedBody(body, tracker);
}
