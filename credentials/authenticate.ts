import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import {
	authenticationFor,
	chatSecret,
	readSettings,
	tokenIn,
	withoutSlashesAtEnd,
	type Authentication,
	type Settings,
} from '../nodes/SocialOpenPlatform/platform/settings';

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
function targetOf({ url, uri, baseURL }: AnyRequestOptions, settings: Settings) {
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
function isUnsafeResend(options: AnyRequestOptions) {
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
	const reason =
		authentication === 'signature'
			? 'This credential fetches and renews the access token itself, and adds it to all other requests. Send requests to other API endpoints of the platform instead.'
			: reasonToRefuse(options as object as Options, url);
	if (reason) throw new RequestRefused(reason);
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

/** Request options that other nodes set with n8n's request helpers. n8n passes them unchanged. */
type Options = Record<string, unknown>;

const SECRETS = 'the App Secret or the access token';

const optionsIn = (value: unknown) => Object(value) as Options;

/**
 * Returns why a request must not carry a secret, and the advice for the user. The author of a
 * workflow sets these options, and could use them to receive the secret.
 *
 * @param url the URL to which n8n sends the request
 */
function reasonToRefuse(options: Options, url: URL) {
	const agentOptions = optionsIn(options.agentOptions);
	// n8n sets these agent options for 'SSL Certificates'. Any other one could lead to another server.
	const agentOption = Object.keys(agentOptions).find(
		(name) => !['ca', 'cert', 'key', 'passphrase', 'rejectUnauthorized'].includes(name),
	);
	const chosen =
		agentOption === undefined
			? // With these options, HTTP clients connect to another server. n8n ignores them today.
				['agent', 'httpAgent', 'httpsAgent', 'lookup', 'socketPath'].find((name) => options[name])
			: `agentOptions.${agentOption}`;
	const isPlain = url.protocol !== 'https:';
	const reasons: Array<[applies: unknown, reason: string]> = [
		[
			// n8n's two request helpers use different options for this.
			[options, agentOptions].some(
				({ rejectUnauthorized = true }) => rejectUnauthorized !== true,
			) ||
				options.skipSslCertificateValidation ||
				options.allowUnauthorizedCerts,
			`Without a check of the platform's certificate, another server could receive ${SECRETS}. Turn off 'Ignore SSL Issues' in the node. If the platform's certificate comes from a private authority, add this authority under 'SSL Certificates'.`,
		],
		[
			chosen !== undefined,
			`The option '${chosen}' could send ${SECRETS} to another server. Remove it from the request.`,
		],
		[
			options.proxy && isPlain,
			`The Base URL starts with http://, so a proxy could read ${SECRETS}. Remove the option 'Proxy' from the node, or use a Base URL that starts with https://. The proxy from n8n's environment is used without that option.`,
		],
		[
			options.proxy && agentOptions.ca,
			`Because the node uses its own certificate authority, a proxy could read ${SECRETS}. Remove the option 'Proxy' or the 'SSL Certificates' from the node.`,
		],
		[
			Object.keys(optionsIn(options.headers)).some((name) => /^\s*host\s*$/i.test(name)),
			`The header 'Host' could send ${SECRETS} to another server. Remove this header from the node.`,
		],
		[
			// A proxy may read such a path as a URL without a scheme (RFC 3986, section 4.2).
			isPlain && url.pathname.startsWith('//'),
			`The path of the URL begins with two slashes, so a proxy could send ${SECRETS} to another server. Remove one of the slashes.`,
		],
		[
			typeof options.method === 'string' && /^trace$/i.test(options.method.trim()),
			`The response to a TRACE request would contain ${SECRETS}. Use another method.`,
		],
	];
	return reasons.find(([applies]) => applies)?.[1];
}

/**
 * The error of a request that must not carry a secret and was not sent. Its message says why and
 * what to do.
 */
export class RequestRefused extends Error {
	override name = 'RequestRefused';

	constructor(reason: string) {
		super(`Nothing was sent. ${reason}`);
	}
}
