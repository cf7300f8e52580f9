import { createHmac, randomUUID } from 'node:crypto';

import type { Clock } from './clock';
import type { Settings } from './options';

/** The lifetime of a token (contract: token response). */
const LIFETIME_SECONDS = 7200;

export type TokenState = 'valid' | 'expired' | 'revoked';

/** An issued token, with dates in ISO 8601. */
export interface IssuedToken {
	token: string;
	issuedAt: string;
	expiresAt: string;
	state: TokenState;
}

interface Entry {
	token: string;
	issuedAt: number;
	expiresAt: number;
	revoked: boolean;
}

function jwt(claims: object, secret: string): string {
	const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
	const unsigned = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
	return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
}

/** All issued tokens and their states (contract: token response). */
export class TokenLedger {
	private entries: Entry[] = [];
	private readonly everIssued: string[] = [];

	constructor(
		private readonly settings: Settings,
		private readonly clock: Clock,
	) {}

	/** Issues a JWT (HS256 with iat, exp, jti and app_id), and revokes the earlier ones. */
	issue(): { access_token: string; expires_in: number } {
		const { appId, appSecret } = this.settings;
		const issuedAt = this.clock.now();
		const expiresAt = issuedAt + LIFETIME_SECONDS * 1000;
		const claims = {
			iat: Math.floor(issuedAt / 1000),
			exp: Math.floor(expiresAt / 1000),
			jti: randomUUID(),
			app_id: appId,
		};
		const token = jwt(claims, appSecret);
		this.revokeAll();
		this.entries.push({ token, issuedAt, expiresAt, revoked: false });
		this.everIssued.push(token);
		return { access_token: token, expires_in: LIFETIME_SECONDS };
	}

	/** Returns the state of a token, or `unknown` if this emulator has not issued it. */
	stateOf(token: string): TokenState | 'unknown' {
		const entry = this.entries.find((candidate) => candidate.token === token);
		return entry ? this.read(entry) : 'unknown';
	}

	expireAll(): void {
		for (const entry of this.entries) entry.expiresAt = Math.min(entry.expiresAt, this.clock.now());
	}

	revokeAll(): void {
		for (const entry of this.entries) entry.revoked = true;
	}

	list(): IssuedToken[] {
		return this.entries.map((entry) => ({
			token: entry.token,
			issuedAt: new Date(entry.issuedAt).toISOString(),
			expiresAt: new Date(entry.expiresAt).toISOString(),
			state: this.read(entry),
		}));
	}

	/** Returns all issued tokens, including those before a reset, for tests that search for leaks. */
	secrets(): string[] {
		return [...this.everIssued];
	}

	reset(): void {
		this.entries = [];
	}

	private read(entry: Entry): TokenState {
		if (entry.revoked) return 'revoked';
		return entry.expiresAt <= this.clock.now() ? 'expired' : 'valid';
	}
}
