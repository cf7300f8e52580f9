import type { Answer, EventStream } from '../answer';
import { writeJson } from '../exact-json';
import type { Operation } from '../routes';
import { SERVER_ERROR } from './chat-refused';

/** A server-sent event stream. */
export function eventStream(stream: EventStream): Answer {
	const headers = {
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-cache',
	};
	return { status: 200, headers, body: '', stream, tookEffect: true };
}

/** One frame: `data`, and the event's name where there is one. */
export function frame(data: unknown, event?: string): string {
	return `${event ? `event: ${event}\n` : ''}data: ${writeJson(data)}\n\n`;
}

/** The beginning of a stream: so many frames, or half of all, and none that says that it is over. */
export function beginning({ said, closing }: EventStream, frames?: number): EventStream {
	return {
		said: said.slice(0, frames ?? Math.ceil((said.length + closing.length) / 2)),
		closing: [],
	};
}

/** The same, with the news at its end that the server failed. */
export function failing(
	operation: Operation,
	{ said }: EventStream,
	{ code = 'server_error', message = SERVER_ERROR.message }: { code?: unknown; message?: string },
): EventStream {
	const { type } = SERVER_ERROR;
	const failure =
		operation === 'responses'
			? frame({ type: 'error', code, message, param: null, sequence_number: said.length }, 'error')
			: frame({ error: { message, type, param: null, code } });
	return { said, closing: [failure] };
}
