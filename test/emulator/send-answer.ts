import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

import type { Answer } from './answer';

/** Faults that apply while a response is sent. */
export interface SendFaults {
	/** The delay of the first frame of a stream in milliseconds. */
	firstFrameAfterMs?: number;
	/** Whether the connection is destroyed in the middle of the body, or after the frames of a stream. */
	cut?: boolean;
	signal: AbortSignal;
}

/** Writes a response, and resolves when it is written or the connection is closed. */
export async function sendAnswer(
	out: ServerResponse,
	answer: Answer,
	{ firstFrameAfterMs = 0, cut = false, signal }: SendFaults,
): Promise<void> {
	const { status, headers, stream } = answer;
	if (out.destroyed) return;
	if (!stream) {
		const bytes = Buffer.from(answer.body);
		out.writeHead(status, { ...headers, 'content-length': bytes.length });
		if (!cut) return void out.end(bytes);
		out.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => out.destroy());
		return;
	}
	out.writeHead(status, headers);
	out.flushHeaders();
	if (firstFrameAfterMs > 0) {
		await sleep(firstFrameAfterMs, undefined, { signal, ref: false }).catch(() => undefined);
	}
	for (const frame of [...stream.content, ...stream.closing]) {
		for (const part of halves(frame)) {
			if (out.destroyed) return;
			out.write(part);
			await nextTurn();
		}
	}
	if (cut) out.write('data: {"id":"cut', () => out.destroy());
	else out.end();
}

/** Splits a frame in the middle, possibly within a character, as networks do. */
function halves(frame: string): Buffer[] {
	const bytes = Buffer.from(frame);
	const middle = Math.floor(bytes.length / 2);
	return [bytes.subarray(0, middle), bytes.subarray(middle)];
}
