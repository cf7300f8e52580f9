import type { Gate } from '../../transport/gate';
import type { NodeError } from '../itemError';
import { waited } from '../waited';

/** What a run knows of its answers in the end. */
export interface ChatFacts {
	/** Of every answer that came whole. */
	tokens: number[];
	errors: NodeError[];
	items: number;
	gate: Pick<Gate, 'rateLimits'>;
}

/** Says after a run of several items how many were answered, what that took, and who waited. */
export function summaryOf({ tokens, errors, items, gate }: ChatFacts): string {
	if (items < 2 && gate.rateLimits.answers === 0) return '';
	const left = items - tokens.length - errors.length;
	const total = tokens.reduce((sum, some) => sum + some, 0);
	const parts = [
		`${tokens.length} whole`,
		errors.length > 0 && `${errors.length} not`,
		left > 0 && `${left} not asked for yet`,
	];
	return [
		`Answers: ${parts.filter(Boolean).join(', ')}.`,
		total > 0 && `Tokens: ${total}.`,
		waited(gate),
	]
		.filter(Boolean)
		.join(' ');
}
