import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import {
	authenticationFor,
	chatSecret,
	readSettings,
	SLASHES_AT_END,
	tokenIn,
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
 * The URL to which n8n's HTTP client will send a request, or undefined if the request gets no secret.
 * A relative URL is appended to the base. The URL parser decides which URLs are absolute, because a
 * pattern would miss blanks that the parser removes.
 */
function targetOf({ url, uri, baseURL }: AnyRequestOptions, { baseUrl }: Settings) {
	const target = url ?? uri ?? '';
	const base = baseURL ?? baseUrl.href;
	// An expression may return an object whose text changes each time it is converted.
	if (typeof target !== 'string' || typeof base !== 'string') return undefined;
	if (!URL.canParse(target, base)) return undefined;
	const [{ origin, href }, resolved] = [new URL(base), new URL(target, base)];
	// n8n's HTTP client may append a URL to the base although the parser considers the URL absolute,
	// so the base must have the same origin as the Base URL, too.
	if (origin !== baseUrl.origin) return undefined;
	if (URL.canParse(target) || resolved.origin !== origin) return resolved;
	return new URL(`${href.replace(SLASHES_AT_END, '')}/${target.trim().replace(/^\/+/, '')}`);
}

/**
 * Options of requests that must not be sent again. n8n's older request helper, which the HTTP Request
 * node uses, resends a request after any error, and passes the same object again. If the platform
 * accepted a post but its response was lost, the post would be published twice.
 */
const sentOnce = new WeakSet<AnyRequestOptions>();

/**
 * The error of a request that needs a token. Its status makes n8n call `preAuthentication` and send
 * the request again.
 */
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
 * "Authentication"). A request to an origin other than that of the Base URL gets neither. Requests
 * with a token or a secret follow no redirects, because n8n would send their headers to the target.
 *
 * @throws TokenNeeded if the request requires a token and there is none
 * @throws RequestRefused if the request could send a secret to another server, or requests a token
 * @throws CredentialUnusable if no header can contain the App Secret
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
	const risk = riskOf(options as object as Options, url);
	if (risk) {
		throw new RequestRefused(
			`${risk} could disclose the App Secret or the access token. Remove it from the request.`,
		);
	}
	if (sentOnce.has(options)) {
		throw new Error(
			"The platform refused the request, or no usable response arrived. The request was not sent again, because it could then take effect twice. Check on the platform whether it took effect. To see a refusal, turn on 'Never Error' in the node. If only the access token had expired, a new one is now stored: run the node again.",
		);
	}
	const result = {
		...options,
		headers: { ...options.headers, ...headersFor(authentication, settings) },
		disableFollowRedirect: true,
		// n8n's older helper has these two options in place of `disableFollowRedirect`.
		followRedirect: false,
		followAllRedirects: false,
	};
	const isSafe = /^(GET|HEAD|OPTIONS)$/i.test(options.method ?? 'GET');
	if ('uri' in options && !isSafe) sentOnce.add(result);
	return result;
}

/**
 * Request options that other nodes set with n8n's request helpers. n8n passes these options
 * unchanged.
 */
type Options = Record<string, unknown>;

const optionsIn = (value: unknown) => Object(value) as Options;

/** The agent options that n8n sets for 'SSL Certificates'. */
const AGENT_OPTIONS = ['ca', 'cert', 'key', 'passphrase', 'rejectUnauthorized'];

/** Options with which HTTP clients could connect to another server. n8n ignores them today. */
const CONNECTION_OPTIONS = ['agent', 'httpAgent', 'httpsAgent', 'lookup', 'socketPath'];

/**
 * Returns the name of a setting that could disclose the App Secret or the access token. The author
 * of a workflow chooses these settings, and could obtain the secret or the token with them.
 *
 * @param url the URL to which n8n sends the request
 */
function riskOf(options: Options, url: URL): string | undefined {
	const agentOptions = optionsIn(options.agentOptions);
	const { skipSslCertificateValidation, allowUnauthorizedCerts } = options;
	const isChecked = [options, agentOptions].every(
		({ rejectUnauthorized = true }) => rejectUnauthorized === true,
	);
	if (skipSslCertificateValidation || allowUnauthorizedCerts || !isChecked) {
		return "The option 'Ignore SSL Issues'";
	}
	const chosen =
		Object.keys(agentOptions).find((name) => !AGENT_OPTIONS.includes(name)) ??
		CONNECTION_OPTIONS.find((name) => options[name]);
	if (chosen) return `The option '${chosen}'`;
	const isPlain = url.protocol !== 'https:';
	// A proxy can read a request without TLS. It can also read a request with TLS if the workflow
	// adds a certificate authority that the proxy controls.
	if (options.proxy && isPlain)
		return "With a Base URL that starts with http://, the option 'Proxy'";
	if (options.proxy && agentOptions.ca) return "With 'SSL Certificates', the option 'Proxy'";
	if (Object.keys(optionsIn(options.headers)).some((name) => /^\s*host\s*$/i.test(name))) {
		return "The header 'Host'";
	}
	// A proxy may read a path that starts with two slashes as the URL of another server (RFC 3986,
	// section 4.2).
	if (isPlain && url.pathname.startsWith('//'))
		return 'The second slash at the beginning of the path';
	// The response to a TRACE request contains the headers of the request.
	return /^\s*trace\s*$/i.test(String(options.method)) ? 'The method TRACE' : undefined;
}

/**
 * The error of a request that was not sent, because it must not contain a token or a secret. The
 * message says why, and what to do.
 */
export class RequestRefused extends Error {
	override name = 'RequestRefused';

	constructor(reason: string) {
		super(`Nothing was sent. ${reason}`);
	}
}
