import type { Answer } from './answer';
import { beginning, failing } from './chat/event-stream';
import { faultAnswer } from './fault-answer';
import type { FaultEffect } from './faults';
import type { Settings } from './options';
import type { ReceivedRequest } from './request-record';

/** The default delay of `slow`. */
const DEFAULT_DELAY_MS = 1_000;

/** Applies a fault to the response of a request that took effect. */
export function applyFault(
	fault: FaultEffect,
	answer: Answer,
	request: ReceivedRequest,
	settings: Settings,
): { answer: Answer; waitMs?: number; cut?: boolean } {
	const { stream } = answer;
	const begun = stream && beginning(stream);
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
			return { answer: { ...answer, stream: begun && failing(begun, fault) } };
		case 'slow':
			return { answer, waitMs: fault.delayMs ?? DEFAULT_DELAY_MS };
		default:
			throw new Error(`'${fault.kind}' does not apply to responses`);
	}
}

function half(text: string): string {
	const characters = Array.from(text);
	return characters.slice(0, Math.floor(characters.length / 2)).join('');
}
