import type {
	ICredentialDataDecryptedObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';
import {
	boundToken,
	chatSecret,
	CredentialUnusable,
	readSettings,
	SLASHES_AT_END,
	platformOperations,
	tokenIn,
	urlOf,
	type PlatformOperation,
	type Settings,
} from '../nodes/SocialOpenPlatform/platform/settings';
import { getToken } from '../nodes/SocialOpenPlatform/platform/token';
import { readFieldNames } from '../nodes/SocialOpenPlatform/post/fields';
import { exchangeToken } from './tokenExchange';

/** The options of n8n's request helper, or of the older helper that the HTTP Request node uses. */
type AnyRequestOptions = IHttpRequestOptions & { uri?: string };

const settingsByData = new WeakMap<ICredentialDataDecryptedObject, Settings>();

/**
 * Returns the settings in a credential data object. An object is read again only if its access
 * token has changed, because n8n changes nothing else in it.
 *
 * @throws CredentialUnusable, which lists the invalid fields
 */
export function settingsOf(data: ICredentialDataDecryptedObject): Settings {
	const known = settingsByData.get(data);
	if (known && known.accessToken === data.accessToken) return known;
	const settings = readSettings(data);
	settingsByData.set(data, settings);
	return settings;
}

/** Credential data of requests by n8n's older request helper that `authenticate` refused. */
const refusedData = new WeakSet<ICredentialDataDecryptedObject>();

/** Credential data to which `preAuthentication` has added a token. */
const exchangedData = new WeakSet<ICredentialDataDecryptedObject>();

/**
 * Gets an access token if there is none, if the stored one was rejected, and for a credential
 * test.
 *
 * @returns the fields that n8n stores
 */
export async function preAuthentication(
	this: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
) {
	// After any error, n8n's older request helper asks for another token, even if `authenticate`
	// refused the request.
	if (refusedData.delete(credentials)) return {};
	const { accessToken, rejectedToken } = credentials;
	// The nodes set `rejectedToken` for one request only, so n8n must not store it.
	delete credentials.rejectedToken;
	const settings = readSettings(credentials);
	const { issues } = readFieldNames(credentials);
	if (issues.length > 0) throw new CredentialUnusable(`${issues.join('. ')}.`);
	const rejected = (rejectedToken ?? (accessToken || undefined)) as string | undefined;
	const { token, isNew } = await getToken(settings, rejected, async () =>
		boundToken(await exchangeToken(this.helpers, settings, rejected), settings),
	);
	// The request needs the token even if n8n does not store it, so the token is also set here.
	credentials.accessToken = token;
	exchangedData.add(credentials);
	// Only the request that has fetched the token stores it, because a late request would overwrite
	// another worker's token. If `credentials` contained a rejected token, the token is always
	// stored, because n8n's HTTP Request node resends a request only if a token is stored.
	return isNew || accessToken ? { accessToken: token } : {};
}

/** Adds the token or the secret to a request. For a credential test, it requires a new token. */
export async function authenticate(
	credentials: ICredentialDataDecryptedObject,
	requestOptions: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	// This condition recognizes the request of `test`, because the nodes send no HEAD requests. If
	// a token is stored, n8n fetches none for a test, so a wrong App Secret would pass.
	if (requestOptions.method === 'HEAD' && requestOptions.url === '/') {
		if (!exchangedData.has(credentials)) {
			// An empty token makes `preAuthentication` fetch a new one instead of sharing a recent one.
			credentials.accessToken = '';
			throw new TokenNeeded();
		}
		// The timeout is set here, because n8n replaces a timeout in `test` with 300 seconds.
		requestOptions.timeout = 20_000;
	}
	const addSecret = async () => authenticateRequest(requestOptions, settingsOf(credentials));
	return await addSecret().catch((error: unknown) => {
		if ('uri' in requestOptions && !(error instanceof TokenNeeded)) refusedData.add(credentials);
		throw error;
	});
}

/**
 * Returns the URL to which n8n's HTTP client will send a request, or undefined if the request gets
 * no secret. A relative URL is appended to the base. The URL parser decides which URLs are
 * absolute, because it ignores some whitespace.
 */
function targetOf({ url, uri, baseURL }: AnyRequestOptions, { baseUrl }: Settings) {
	const target = url ?? uri ?? '';
	const base = baseURL ?? baseUrl.href;
	// Only strings are accepted, because an expression may return an object that converts to a
	// different string each time.
	if (typeof target !== 'string' || typeof base !== 'string') return undefined;
	if (!URL.canParse(target, base)) return undefined;
	const [{ origin, href }, resolved] = [new URL(base), new URL(target, base)];
	// n8n's HTTP client may append a URL to the base although the parser considers the URL absolute,
	// so the base must also have the Base URL's origin.
	if (origin !== baseUrl.origin) return undefined;
	if (URL.canParse(target) || resolved.origin !== origin) return resolved;
	return new URL(`${href.replace(SLASHES_AT_END, '')}/${target.trim().replace(/^\/+/, '')}`);
}

/**
 * Whether a server may route a URL to the token operation, even if its path is encoded or has a
 * prefix.
 */
function isTokenRoute({ pathname }: URL) {
	// A server may decode a path several times, so both `%41` and `%2541` can become an A.
	const decoded = pathname.replace(/%(?:25)*([0-9a-f]{2})/gi, (_, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
	return /getaccesstoken/i.test(decoded);
}

/**
 * Returns the authentication for requests to a URL. Outside the Base URL's origin, requests get no
 * token or secret. Within it, paths that belong to no operation use the bearer token.
 */
export function authenticationFor(url: URL, settings: Settings) {
	if (url.origin !== settings.baseUrl.origin) return 'none';
	if (isTokenRoute(url)) return 'signature';
	const path = url.pathname.replace(/\/$/, '');
	const found = Object.entries(platformOperations).find(
		([name]) => path === new URL(urlOf(name as PlatformOperation, settings)).pathname,
	);
	return found?.[1][0] ?? 'bearer';
}

/**
 * Options of requests that must not be resent. After any error, n8n's older request helper, which
 * the HTTP Request node uses, resends the request with the same options object. If the platform had
 * accepted a post but its response was lost, the post would be published twice.
 */
const sentOnce = new WeakSet<AnyRequestOptions>();

/**
 * Thrown if a request needs a new token. The status makes n8n call `preAuthentication` and then
 * authenticate the request again.
 */
export class TokenNeeded extends Error {
	readonly response = { status: 401 };
}

function headersFor(authentication: ReturnType<typeof authenticationFor>, settings: Settings) {
	if (authentication === 'secret') return { [settings.chatAuthHeader]: chatSecret(settings) };
	const token = tokenIn(settings.accessToken, settings);
	if (!token) throw new TokenNeeded();
	return authentication === 'bearer'
		? { Authorization: `Bearer ${token}` }
		: { 'X-Legacy-Token': token };
}

/**
 * Adds the token or the secret that a URL's operation requires (platform interface,
 * "Authentication"). Requests outside the Base URL's origin get neither. Requests with a token or a
 * secret follow no redirects, because n8n would send their headers to the target.
 *
 * @throws TokenNeeded if the request requires a token and there is none
 * @throws RequestRefused if the request could disclose a secret, or requests a token
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

/** Request options from any node. n8n also passes options that its types do not include. */
type Options = Record<string, unknown>;

const optionsIn = (value: unknown) => Object(value) as Options;

/** Agent options that cannot change the server. n8n sets most of them for 'SSL Certificates'. */
const AGENT_OPTIONS = ['ca', 'cert', 'key', 'passphrase', 'rejectUnauthorized'];

/** Options that could connect an HTTP client to another server. n8n currently ignores them. */
const CONNECTION_OPTIONS = ['agent', 'httpAgent', 'httpsAgent', 'lookup', 'socketPath'];

/**
 * Returns the name of a setting that could disclose the App Secret or the access token to the
 * workflow's author, who chooses the settings.
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
	// The response to a TRACE request contains the request's headers.
	return /^\s*trace\s*$/i.test(String(options.method)) ? 'The method TRACE' : undefined;
}

/**
 * Thrown instead of sending a request that could disclose a secret, or that requests a token. The
 * message says what to do.
 */
export class RequestRefused extends Error {
	override name = 'RequestRefused';

	constructor(reason: string) {
		super(`Nothing was sent. ${reason}`);
	}
}
