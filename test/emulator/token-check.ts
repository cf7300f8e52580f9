import { refused, type Answer } from './answer';
import type { TokenLedger } from './token-ledger';

/** Refuses a token that is missing (10103), unknown or revoked (10104) or expired (1001) (contract, codes). */
export function tokenProblem(token: string | undefined, tokens: TokenLedger): Answer | undefined {
	if (!token) return refused({ code: 10103, message: 'access_token 缺失' });
	const state = tokens.stateOf(token);
	if (state === 'valid') return undefined;
	if (state === 'expired') return refused({ code: 1001, message: '令牌已过期，请重新获取' });
	return refused({ code: 10104, message: 'access_token 无效或已被新令牌替换' });
}

/** Returns the token of `Authorization: Bearer <token>` (platform interface, Business requests). */
export function bearer(headers: Record<string, string>): string | undefined {
	return /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
}
