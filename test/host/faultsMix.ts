import type { FaultEffect, FaultKind } from '../emulator';

/** The outcome of a post as far as a client can know it. */
export type KnownOutcome = 'accepted' | 'refused' | 'unknown';

/**
 * Every fault of a post with its outcome according to the platform's interface and to HTTP, independent of
 * the node. Chat faults do not apply to posts.
 */
const OUTCOMES: Partial<Record<FaultKind, KnownOutcome>> = {
	'unauthorized-401': 'refused',
	'token-rejected-200': 'refused',
	'rate-limited-429': 'refused',
	'too-frequent-200': 'refused',
	'refused-without-code': 'refused',
	refused: 'refused',
	'success-false-code-200': 'refused',
	'echo-secrets': 'refused',
	slow: 'accepted',
	'server-error-before': 'unknown',
	'server-error-after': 'unknown',
	'reset-before': 'unknown',
	'reset-after': 'unknown',
	'no-answer': 'unknown',
	'truncated-json': 'unknown',
	html: 'unknown',
	// 302 does not say whether the post was accepted. 307 would say that it was not.
	redirect: 'unknown',
	'success-true-code-500': 'unknown',
};

/** Refusals after which the node resends the post, with a new token or after a wait. */
const RESENT = [
	'unauthorized-401',
	'token-rejected-200',
	'rate-limited-429',
	'too-frequent-200',
] satisfies FaultKind[] as string[];

export const isResent = (kind: string): boolean => RESENT.includes(kind);

export const outcomeOf = (kind: string): KnownOutcome | undefined => OUTCOMES[kind as FaultKind];

const details: Partial<Record<FaultKind, Array<Omit<FaultEffect, 'kind'>>>> = {
	'rate-limited-429': [{ retryAfter: 1 }, {}],
	slow: [{ delayMs: 300 }],
	refused: [{ code: 2150, message: '图片不符合要求' }],
};

/** The faults to choose from. `clear` faults leave no outcome unknown. */
export function mix(which: 'all' | 'clear' | 'unclear'): FaultEffect[] {
	const kinds = (Object.keys(OUTCOMES) as FaultKind[]).filter(
		(kind) => which === 'all' || (OUTCOMES[kind] === 'unknown') === (which === 'unclear'),
	);
	return kinds.flatMap((kind) => (details[kind] ?? [{}]).map((more) => ({ kind, ...more })));
}
