import type { Answer } from './answer';
import { beginning, failing } from './chat/event-stream';
import { faultAnswer } from './fault-answer';
import type { FaultEffect } from './faults';
import type { Settings } from './options';
import type { ReceivedRequest } from './request-record';
import type { Spoiling } from './send-answer';

/** How long `slow` and `slow-first-token` wait when no delayMs is given. */
const DEFAULT_DELAY_MS = 1_000;

/** What is sent of an answer, and how, once a fault has struck a request that took effect. */
export function spoiled(
	fault: FaultEffect,
	answer: Answer,
	request: ReceivedRequest,
	settings: Settings,
): { answer: Answer; waitMs?: number } & Omit<Spoiling, 'signal'> {
	const { delayMs = DEFAULT_DELAY_MS, afterFrames } = fault;
	const { stream } = answer;
	const begun = stream && beginning(stream, afterFrames);
	switch (fault.kind) {
		case 'server-error-after': {
			const lost = faultAnswer({ ...fault, kind: 'server-error-before' }, request, settings);
			return { answer: { ...(lost as Answer), tookEffect: true } };
		}
		case 'truncated-json':
			return { answer: { ...answer, body: half(answer.body), stream: begun } };
		case 'stream-cut':
			return { answer: { ...answer, stream: begun }, cut: true };
		case 'stream-error':
			return { answer: { ...answer, stream: begun && failing(request.operation, begun, fault) } };
		case 'slow-first-token':
			return stream ? { answer, firstFrameAfterMs: delayMs } : { answer, waitMs: delayMs };
		case 'slow':
			return { answer, waitMs: delayMs };
		default:
			throw new Error(`'${fault.kind}' does not spoil answers`);
	}
}

function half(text: string): string {
	const characters = Array.from(text);
	return characters.slice(0, Math.floor(characters.length / 2)).join('');
}
