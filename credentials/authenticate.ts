import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { chatSecret } from '../nodes/SocialOpenPlatform/platform/chatSecret';
import {
	authenticationFor,
	type Authentication,
} from '../nodes/SocialOpenPlatform/platform/endpoints';
import {
	readSettings,
	withoutSlashesAtEnd,
	type Settings,
} from '../nodes/SocialOpenPlatform/platform/settings';
import { tokenIn } from '../nodes/SocialOpenPlatform/platform/token';
import { assertSafe, RequestRefused } from './requestRefusal';

/** The options of n8n's request helper, or of the older helper that the HTTP Request node uses. */
type AnyRequestOptions = IHttpRequestOptions & { uri?: string };

/**
 * The settings of each credential data object that n8n passes. An entry lives as long as its
 * object.
 */
const settingsByData = new WeakMap<ICredentialDataDecryptedObject, Settings>();

/**
 * Reads credential data, once for all requests of a run that pass the same object. Of this data,
 * n8n changes only the access token.
 *
 * @throws CredentialUnusable naming every field that cannot be used
 */
export function settingsOf(data: ICredentialDataDecryptedObject): Settings {
	const known = settingsByData.get(data);
	if (known && known.accessToken === data.accessToken) return known;
	const settings = readSettings(data);
	settingsByData.set(data, settings);
	return settings;
}

/**
 * The URL to which n8n's HTTP client will send a request. A relative URL is appended to the base.
 * The URL parser decides which URLs are absolute, because a pattern would miss blanks that the
 * parser removes.
 */
function targetOf({ url, uri, baseURL }: AnyRequestOptions, settings: Settings): URL | undefined {
	const target = url ?? uri ?? '';
	const base = baseURL ?? settings.baseUrl.href;
	// An expression may return an object whose text changes each time it is converted.
	if (typeof target !== 'string' || typeof base !== 'string') return undefined;
	// If the base has another origin, the URL must also be absolute for n8n's HTTP client.
	const isElsewhere = URL.canParse(base) && new URL(base).origin !== settings.baseUrl.origin;
	if (isElsewhere && !/^https?:\/\//i.test(target)) return undefined;
	if (URL.canParse(target)) return new URL(target);
	const resolved = URL.canParse(target, base) ? new URL(target, base) : undefined;
	if (resolved?.origin !== settings.baseUrl.origin) return resolved;
	const joined = `${withoutSlashesAtEnd(base)}/${target.trim().replace(/^\/+/, '')}`;
	return URL.canParse(joined) ? new URL(joined) : undefined;
}

/**
 * Request options that were authenticated before. If n8n resends a request, it passes the same
 * object again.
 */
const authenticated = new WeakSet<AnyRequestOptions>();

/**
 * n8n's older request helper, which the HTTP Request node uses, resends a request after any error.
 * If the platform accepted a post but its response was lost, the post would be published twice.
 */
function isUnsafeResend(options: AnyRequestOptions): boolean {
	const { method = 'GET' } = options;
	return 'uri' in options && authenticated.has(options) && !/^(GET|HEAD|OPTIONS)$/i.test(method);
}

/** n8n calls `preAuthentication`, and sends the request again, after an error with this status. */
export class TokenNeeded extends Error {
	readonly response = { status: 401 };
}

/** @throws TokenNeeded if there is no token, or only one of another application */
function headersFor(authentication: Authentication, settings: Settings): Record<string, string> {
	if (authentication === 'secret') return { [settings.chatAuthHeader]: chatSecret(settings) };
	const token = tokenIn(settings.accessToken, settings);
	if (!token) throw new TokenNeeded();
	return authentication === 'bearer'
		? { Authorization: `Bearer ${token}` }
		: { 'X-Legacy-Token': token };
}

/**
 * Adds the token or the secret that the operation of a URL requires (platform interface,
 * "Authentication"). A request to an origin other than the Base URL's gets neither. Requests with a
 * secret follow no redirects, because n8n would send their headers to the target.
 *
 * @throws TokenNeeded if the request requires a token and there is none
 * @throws RequestRefused if the request could send a secret to another server, or requests a token
 * @throws Error if n8n resends a request that may have taken effect
 */
export function authenticateRequest(
	options: AnyRequestOptions,
	settings: Settings,
): AnyRequestOptions {
	const url = targetOf(options, settings);
	const authentication = url ? authenticationFor(url, settings) : 'none';
	if (!url || authentication === 'none') return options;
	if (authentication === 'signature') {
		throw new RequestRefused(
			'This credential fetches and renews the access token itself, and adds it to all other requests. Send requests to other API endpoints of the platform instead.',
		);
	}
	assertSafe(options, url);
	if (isUnsafeResend(options)) {
		throw new Error(
			"The platform refused the request, or no usable response arrived. The request was not sent again, because it could then take effect twice. Check on the platform whether it took effect. To see a refusal, turn on 'Never Error' in the node. If only the access token had expired, a new one is now stored: run the node again.",
		);
	}
	const result = {
		...options,
		headers: { ...options.headers, ...headersFor(authentication, settings) },
		disableFollowRedirect: true,
		// n8n's older helper uses these names for `disableFollowRedirect`.
		followRedirect: false,
		followAllRedirects: false,
	};
	authenticated.add(result);
	return result;
}
