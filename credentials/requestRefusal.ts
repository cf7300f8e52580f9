/** Options of n8n's request helpers that other nodes set. n8n hands them on as they are. */
type Options = Record<string, unknown>;

/** What n8n's SSL Certificates sets. Any other agent option can lead to another server. */
const certificateOptions = ['ca', 'cert', 'key', 'passphrase', 'rejectUnauthorized'];

/** n8n ignores these today; HTTP clients connect by them instead of by the URL. */
const connectionOptions = ['agent', 'httpAgent', 'httpsAgent', 'lookup', 'socketPath'];

const SECRETS = 'the App Secret or the access token';

const optionsIn = (value: unknown): Options =>
	typeof value === 'object' && value !== null ? (value as Options) : {};

/** n8n turns the check off by the first two, in its older and its newer helper. */
function isUnchecked(options: Options): boolean {
	return (
		[options, optionsIn(options.agentOptions)].some(
			({ rejectUnauthorized = true }) => rejectUnauthorized !== true,
		) ||
		Boolean(options.skipSslCertificateValidation) ||
		Boolean(options.allowUnauthorizedCerts)
	);
}

/** The option by which a request connects elsewhere than its URL says. */
function chosenConnection(options: Options): string | undefined {
	const agentOption = Object.keys(optionsIn(options.agentOptions)).find(
		(name) => !certificateOptions.includes(name),
	);
	if (agentOption !== undefined) return `agentOptions.${agentOption}`;
	return connectionOptions.find((name) => Boolean(options[name]));
}

/**
 * Why a request must not get a secret, with what to do about it. Whoever edits a workflow sets these
 * options, and could receive the secret by them.
 *
 * @param url where n8n sends the request
 */
function reasonToRefuse(options: Options, url: URL): string | undefined {
	if (isUnchecked(options)) {
		return `Without a check of the platform's certificate, another server could receive ${SECRETS}. Turn off 'Ignore SSL Issues' in the node. For a platform whose certificate comes from an authority of your own, add that authority under 'SSL Certificates'.`;
	}
	const chosen = chosenConnection(options);
	if (chosen !== undefined) {
		return `The option '${chosen}' could lead ${SECRETS} to another server. Remove it from the request.`;
	}
	if (options.proxy && url.protocol !== 'https:') {
		return `The Base URL starts with http://, so a proxy could read ${SECRETS}. Remove the option 'Proxy' from the node, or use a Base URL that starts with https://. The proxy that n8n's environment names is used without that option.`;
	}
	if (options.proxy && optionsIn(options.agentOptions).ca) {
		return `With a certificate authority of the node's own, a proxy could read ${SECRETS}. Remove the option 'Proxy' or the 'SSL Certificates' from the node.`;
	}
	if (Object.keys(optionsIn(options.headers)).some((name) => /^\s*host\s*$/i.test(name))) {
		return `The header 'Host' could lead ${SECRETS} to another server. Remove this header from the node.`;
	}
	// A proxy is given the URL that this path makes relative to the host (RFC 3986, section 4.2).
	if (url.protocol !== 'https:' && url.pathname.startsWith('//')) {
		return `The path of the URL begins with two slashes, so a proxy could send ${SECRETS} to another server. Remove one of the slashes.`;
	}
	if (typeof options.method === 'string' && /^trace$/i.test(options.method.trim())) {
		return `The response to a TRACE request would contain ${SECRETS}. Use another method.`;
	}
	return undefined;
}

/** Nothing was sent, because of the request itself. The message says why and what to do. */
export class RequestRefused extends Error {
	override name = 'RequestRefused';

	constructor(reason: string) {
		super(`Nothing was sent. ${reason}`);
	}
}

/** @throws RequestRefused when the request could lead a secret elsewhere */
export function assertSafe(options: object, url: URL): void {
	const reason = reasonToRefuse(options as Options, url);
	if (reason !== undefined) throw new RequestRefused(reason);
}
