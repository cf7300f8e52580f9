import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

import type { Answer } from './answer';

/** How an answer is spoiled on its way out. */
export interface Spoiling {
	/** Milliseconds before the first frame of a stream. */
	firstFrameAfterMs?: number;
	/** Whether the connection is destroyed in the middle of the body, or after what is said of a stream. */
	cut?: boolean;
	signal: AbortSignal;
}

/** Writes an answer; resolves when the client has it, or when the connection is gone. */
export async function sendAnswer(
	out: ServerResponse,
	answer: Answer,
	{ firstFrameAfterMs = 0, cut = false, signal }: Spoiling,
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
	for (const frame of [...stream.said, ...stream.closing]) {
		for (const part of halves(frame)) {
			if (out.destroyed) return;
			out.write(part);
			await nextTurn();
		}
	}
	if (cut) out.write('data: {"id":"cut', () => out.destroy());
	else out.end();
}

/** Networks split where they like: in the middle of a frame, and of a character. */
function halves(frame: string): Buffer[] {
	const bytes = Buffer.from(frame);
	const middle = Math.floor(bytes.length / 2);
	return [bytes.subarray(0, middle), bytes.subarray(middle)];
}
