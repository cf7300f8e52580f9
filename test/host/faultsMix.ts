import type { FaultEffect, FaultKind } from '../emulator';

/** What an answer, or its absence, lets a client know about a post. */
export type Told = 'accepted' | 'refused' | 'unknown';

/**
 * Every fault that can strike a post, and what it lets a client know, by the platform's interface and
 * by HTTP; not by what the node makes of it. Chat faults are not for posts.
 */
const TELLS: Partial<Record<FaultKind, Told>> = {
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
	// 302 says neither that nothing was done nor that something was; 307 would.
	redirect: 'unknown',
	'success-true-code-500': 'unknown',
};

/** Refusals after which a client sends the post again by itself, with a new token or a little later. */
const COME_AGAIN = [
	'unauthorized-401',
	'token-rejected-200',
	'rate-limited-429',
	'too-frequent-200',
] satisfies FaultKind[] as string[];

export const isComeAgain = (kind: string): boolean => COME_AGAIN.includes(kind);

export const tellsOf = (kind: string): Told | undefined => TELLS[kind as FaultKind];

const details: Partial<Record<FaultKind, Array<Omit<FaultEffect, 'kind'>>>> = {
	'rate-limited-429': [{ retryAfter: 1 }, {}],
	slow: [{ delayMs: 300 }],
	refused: [{ code: 2150, message: '图片不符合要求' }],
};

/** The faults to choose from at random; `clear` ones let a client know what came of the post. */
export function mix(which: 'all' | 'clear' | 'unclear'): FaultEffect[] {
	const kinds = (Object.keys(TELLS) as FaultKind[]).filter(
		(kind) => which === 'all' || (TELLS[kind] === 'unknown') === (which === 'unclear'),
	);
	return kinds.flatMap((kind) => (details[kind] ?? [{}]).map((more) => ({ kind, ...more })));
}
