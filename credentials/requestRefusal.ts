/** Request options that other nodes set with n8n's request helpers. n8n passes them unchanged. */
type Options = Record<string, unknown>;

/**
 * The agent options that n8n sets for 'SSL Certificates'. Any other agent option could lead to
 * another server.
 */
const certificateOptions = ['ca', 'cert', 'key', 'passphrase', 'rejectUnauthorized'];

/**
 * With these options, HTTP clients connect to a server other than the URL's. n8n ignores them
 * today.
 */
const connectionOptions = ['agent', 'httpAgent', 'httpsAgent', 'lookup', 'socketPath'];

const SECRETS = 'the App Secret or the access token';

const optionsIn = (value: unknown): Options =>
	typeof value === 'object' && value !== null ? (value as Options) : {};

/**
 * Whether the platform's certificate is not checked. n8n's two request helpers use different
 * options for this.
 */
function isUnchecked(options: Options): boolean {
	return (
		[options, optionsIn(options.agentOptions)].some(
			({ rejectUnauthorized = true }) => rejectUnauthorized !== true,
		) ||
		Boolean(options.skipSslCertificateValidation) ||
		Boolean(options.allowUnauthorizedCerts)
	);
}

/** The name of an option that connects the request to a server other than the URL's. */
function chosenConnection(options: Options): string | undefined {
	const agentOption = Object.keys(optionsIn(options.agentOptions)).find(
		(name) => !certificateOptions.includes(name),
	);
	if (agentOption !== undefined) return `agentOptions.${agentOption}`;
	return connectionOptions.find((name) => Boolean(options[name]));
}

/**
 * Why a request must not carry a secret, and what to do. The author of a workflow sets these
 * options, and could use them to receive the secret.
 *
 * @param url the URL to which n8n sends the request
 */
function reasonToRefuse(options: Options, url: URL): string | undefined {
	if (isUnchecked(options)) {
		return `Without a check of the platform's certificate, another server could receive ${SECRETS}. Turn off 'Ignore SSL Issues' in the node. If the platform's certificate comes from a private authority, add this authority under 'SSL Certificates'.`;
	}
	const chosen = chosenConnection(options);
	if (chosen !== undefined) {
		return `The option '${chosen}' could send ${SECRETS} to another server. Remove it from the request.`;
	}
	if (options.proxy && url.protocol !== 'https:') {
		return `The Base URL starts with http://, so a proxy could read ${SECRETS}. Remove the option 'Proxy' from the node, or use a Base URL that starts with https://. The proxy from n8n's environment is used without that option.`;
	}
	if (options.proxy && optionsIn(options.agentOptions).ca) {
		return `Because the node uses its own certificate authority, a proxy could read ${SECRETS}. Remove the option 'Proxy' or the 'SSL Certificates' from the node.`;
	}
	if (Object.keys(optionsIn(options.headers)).some((name) => /^\s*host\s*$/i.test(name))) {
		return `The header 'Host' could send ${SECRETS} to another server. Remove this header from the node.`;
	}
	// A proxy may read such a path as a URL without a scheme (RFC 3986, section 4.2).
	if (url.protocol !== 'https:' && url.pathname.startsWith('//')) {
		return `The path of the URL begins with two slashes, so a proxy could send ${SECRETS} to another server. Remove one of the slashes.`;
	}
	if (typeof options.method === 'string' && /^trace$/i.test(options.method.trim())) {
		return `The response to a TRACE request would contain ${SECRETS}. Use another method.`;
	}
	return undefined;
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

/** @throws RequestRefused if the request could send a secret to another server */
export function assertSafe(options: object, url: URL): void {
	const reason = reasonToRefuse(options as Options, url);
	if (reason !== undefined) throw new RequestRefused(reason);
}
