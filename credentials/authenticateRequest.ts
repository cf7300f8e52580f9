import type { IHttpRequestOptions } from 'n8n-workflow';
import {
	authenticationFor,
	type Authentication,
} from '../nodes/SocialOpenPlatform/protocol/endpoints';
import { CredentialUnusable, type Settings } from '../nodes/SocialOpenPlatform/protocol/settings';
import { signTokenRequest } from '../nodes/SocialOpenPlatform/protocol/signature';

/** n8n's HTTP Request node passes the options of its older request helper. */
type AnyRequestOptions = IHttpRequestOptions & { uri?: string };

/** Joins as n8n's HTTP client does: an absolute URL stands alone, any other continues the base. */
function targetOf({ url, uri, baseURL }: AnyRequestOptions, settings: Settings): URL | undefined {
	const target = url ?? uri ?? '';
	const base = baseURL ?? settings.baseUrl.href;
	const isAbsolute = /^([a-z][a-z\d+.-]*:|[\\/]{2})/i.test(target);
	const joined = isAbsolute ? target : `${base.replace(/\/+$/, '')}/${target.replace(/^\/+/, '')}`;
	return URL.canParse(joined, base) ? new URL(joined, base) : undefined;
}

/** @throws CredentialUnusable when no header can carry the secret (RFC 9110, section 5.5) */
function chatSecret({ appSecret, chatAuthPrefix }: Settings): string {
	if (/^[\x21-\x7e]+$/.test(appSecret)) return `${chatAuthPrefix} ${appSecret}`.trim();
	throw new CredentialUnusable(
		'App Secret holds characters that no HTTP header can carry, so the chat operations cannot use it.',
	);
}

const additions: Record<
	Exclude<Authentication, 'none'>,
	(settings: Settings, now: number) => { headers?: Record<string, string>; body?: object }
> = {
	signature: ({ appId, appSecret }, timestamp) => ({
		body: signTokenRequest({ appId, appSecret, timestamp }),
	}),
	legacyToken: ({ accessToken }) => ({ headers: { 'X-Legacy-Token': accessToken } }),
	secret: (settings) => ({ headers: { [settings.chatAuthHeader]: chatSecret(settings) } }),
	bearer: ({ accessToken }) => ({ headers: { Authorization: `Bearer ${accessToken}` } }),
};

/**
 * Adds what the operation behind a URL asks for (platform interface, "Authentication"), and nothing
 * to a request that leaves the Base URL's origin. Requests with a secret follow no redirect: n8n
 * would carry their headers to wherever it leads.
 *
 * @param now milliseconds since 1970, for the signature of a token request
 */
export function authenticateRequest(
	options: AnyRequestOptions,
	settings: Settings,
	now: number,
): AnyRequestOptions {
	const url = targetOf(options, settings);
	const way = url ? authenticationFor(url, settings) : 'none';
	if (way === 'none') return options;
	const { headers, ...rest } = additions[way](settings, now);
	return {
		...options,
		...rest,
		...(rest.body && { json: true }),
		headers: { ...options.headers, ...headers },
		disableFollowRedirect: true,
		...('uri' in options && { followRedirect: false, followAllRedirects: false }),
	};
}
