import { readSettings, boundToken } from '../nodes/SocialOpenPlatform/platform/settings';

/** Sets fields of a credential, and its token as n8n stores it after a token exchange. */
export function withToken<T extends object>(credential: T, token: string, fields: object = {}): T {
	Object.assign(credential, fields);
	const accessToken = boundToken(token, readSettings(credential as Record<string, unknown>));
	return Object.assign(credential, { accessToken });
}
