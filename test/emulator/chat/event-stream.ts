import { writeJson } from '../exact-json';
import type { Answer } from '../answer';

/** A server-sent event stream; each frame is written by itself. */
export function eventStream(frames: string[]): Answer {
	const headers = {
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-cache',
	};
	return { status: 200, headers, body: '', frames, tookEffect: true };
}

/** One frame: `data`, and the event's name where there is one. */
export function frame(data: unknown, event?: string): string {
	return `${event ? `event: ${event}\n` : ''}data: ${writeJson(data)}\n\n`;
}
