import type { Gate } from '../transport/gate';

/** How long the platform made the requests of a run wait, as a sentence; empty where it did not. */
export function waited({ rateLimits }: Pick<Gate, 'rateLimits'>): string {
	const { answers, waitedMs } = rateLimits;
	if (answers === 0) return '';
	const seconds = Math.round(waitedMs / 100) / 10;
	const often = answers === 1 ? 'once' : `${answers} times`;
	return `Waited ${seconds} seconds, because the platform said ${often} that requests come too fast.`;
}
