import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Answer } from './answer';

/**
 * Writes a response, and resolves when it is written or the connection is closed.
 *
 * @param isCut whether the connection is destroyed in the middle of the body, or after the frames of a stream
 */
export async function sendAnswer(
	out: ServerResponse,
	answer: Answer,
	isCut: boolean,
): Promise<void> {
	const { status, headers, stream } = answer;
	if (out.destroyed) return;
	if (!stream) {
		const bytes = Buffer.from(answer.body);
		out.writeHead(status, { ...headers, 'content-length': bytes.length });
		if (!isCut) return void out.end(bytes);
		out.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => out.destroy());
		return;
	}
	out.writeHead(status, headers);
	out.flushHeaders();
	for (const frame of [...stream.content, ...stream.closing]) {
		for (const part of halves(frame)) {
			if (out.destroyed) return;
			out.write(part);
			await nextTurn();
		}
	}
	if (isCut) out.write('data: {"id":"cut', () => out.destroy());
	else out.end();
}

/** Splits a frame in the middle, possibly within a character, as networks do. */
function halves(frame: string): Buffer[] {
	const bytes = Buffer.from(frame);
	const middle = Math.floor(bytes.length / 2);
	return [bytes.subarray(0, middle), bytes.subarray(middle)];
}
