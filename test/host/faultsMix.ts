import type { FaultEffect, FaultKind, ReceivedRequest } from '../emulator';

/** The outcome of a post as far as a client can know it. */
export type KnownOutcome = 'accepted' | 'refused' | 'unknown';

type PostFault = Exclude<FaultKind, 'stream-cut' | 'stream-error' | 'slow-first-token'>;

/**
 * Every fault of a post with its outcome according to the platform's interface and to HTTP, independent of
 * the node. Chat faults do not apply to posts.
 */
const OUTCOMES: Record<PostFault, KnownOutcome> = {
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

/** The outcome of a request as far as the client can know it. */
export function knownOutcome({ status, fault, tookEffect }: ReceivedRequest): KnownOutcome {
	// Without a status, the platform has sent no response or only a part of one.
	if (status === null) return 'unknown';
	if (fault !== undefined) return OUTCOMES[fault as PostFault];
	return tookEffect ? 'accepted' : 'refused';
}

const details: Partial<Record<FaultKind, Array<Omit<FaultEffect, 'kind'>>>> = {
	'rate-limited-429': [{ retryAfter: 1 }, {}],
	slow: [{ delayMs: 300 }],
	refused: [{ code: 2150, message: '图片不符合要求' }],
};

/** The faults to choose from. */
export const mix: FaultEffect[] = (Object.keys(OUTCOMES) as PostFault[]).flatMap((kind) =>
	(details[kind] ?? [{}]).map((more) => ({ kind, ...more })),
);
