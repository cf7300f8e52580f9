import type { Answer, EventStream } from '../answer';
import { writeJson } from '../exact-json';
import { SERVER_ERROR } from './chat-refused';

/** Returns a response with a stream of server-sent events. */
export function eventStream(stream: EventStream): Answer {
	const headers = {
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-cache',
	};
	return { status: 200, headers, body: '', stream, tookEffect: true };
}

/** Returns one frame with the data. */
export const frame = (data: unknown): string => `data: ${writeJson(data)}\n\n`;

/** Returns the first half of the frames of a stream, without its end. */
export function beginning({ content, closing }: EventStream): EventStream {
	const half = Math.ceil((content.length + closing.length) / 2);
	return { content: content.slice(0, half), closing: [] };
}

/** Returns the stream with a server error at its end. */
export function failing(
	{ content }: EventStream,
	{ code = 'server_error', message = SERVER_ERROR.message }: { code?: unknown; message?: string },
): EventStream {
	const { type } = SERVER_ERROR;
	return { content, closing: [frame({ error: { message, type, param: null, code } })] };
}
