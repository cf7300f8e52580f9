import { NodeApiError, type INode } from 'n8n-workflow';
import type { ClientRequest, Sending } from '../protocol/connection';

/** Of Node's `ClientRequest`, what it takes to write a body. */
interface WritableRequest extends ClientRequest {
	setHeader(name: string, value: string): unknown;
	end(body: string): unknown;
}

/**
 * A JSON body that is told which request carries it. n8n 1 takes the HTTP client's request out of its
 * errors, so that a request that never left cannot be told from one that was not answered. Its HTTP
 * client hands the request over to whatever can be piped. Any other client finds an ordinary object.
 */
export class WatchedBody {
	readonly #sending: Sending;

	constructor(body: Record<string, unknown>, sending: Sending) {
		this.#sending = sending;
		Object.assign(this, body);
	}

	pipe(request: WritableRequest): void {
		this.#sending.request = request;
		request.setHeader('Content-Type', 'application/json');
		request.end(JSON.stringify(this));
	}

	/** Nothing is to be told of a body that is there as a whole. */
	on(): this {
		return this;
	}

	once(): this {
		return this;
	}
}

/** Fields of a body that would hide the methods. */
const METHODS = ['pipe', 'on', 'once'];

/** Whether n8n keeps what its HTTP client threw, with the request in it. */
const keepsCause = new NodeApiError({} as INode, new Error('') as never).cause instanceof Error;

/** A request's body, from which the sending learns of the request where n8n does not tell. */
export function watchedBody(body: Record<string, unknown>, sending: Sending): object {
	const isPlain = keepsCause || METHODS.some((name) => name in body);
	return isPlain ? body : new WatchedBody(body, sending);
}
