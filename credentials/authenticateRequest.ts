import type { IHttpRequestOptions } from 'n8n-workflow';
import { withoutSlashesAtEnd } from '../nodes/SocialOpenPlatform/protocol/baseUrl';
import {
	authenticationFor,
	type Authentication,
} from '../nodes/SocialOpenPlatform/protocol/endpoints';
import {
	CancelledBeforeSending,
	sendingOf,
	strangers,
	type Followed,
} from '../nodes/SocialOpenPlatform/protocol/connection';
import { CredentialUnusable, type Settings } from '../nodes/SocialOpenPlatform/protocol/settings';
import { HEADER_SAFE } from '../nodes/SocialOpenPlatform/protocol/token';
import { assertSafe, RequestRefused } from './requestRefusal';

/** n8n's HTTP Request node passes the options of its older request helper. */
type AnyRequestOptions = IHttpRequestOptions & Followed & { uri?: string };

/**
 * Where n8n's HTTP client will send a request: an absolute URL stands alone, any other continues the
 * base. The URL parser decides what is absolute, because it also drops blanks that a pattern misses.
 */
function targetOf({ url, uri, baseURL }: AnyRequestOptions, settings: Settings): URL | undefined {
	const target = url ?? uri ?? '';
	const base = baseURL ?? settings.baseUrl.href;
	// An object of an expression can turn into another text each time it is read.
	if (typeof target !== 'string' || typeof base !== 'string') return undefined;
	// Beside a base elsewhere, only what n8n's client too is sure to take for an absolute URL.
	const isElsewhere = URL.canParse(base) && new URL(base).origin !== settings.baseUrl.origin;
	if (isElsewhere && !/^https?:\/\//i.test(target)) return undefined;
	if (URL.canParse(target)) return new URL(target);
	const resolved = URL.canParse(target, base) ? new URL(target, base) : undefined;
	if (resolved?.origin !== settings.baseUrl.origin) return resolved;
	const joined = `${withoutSlashesAtEnd(base)}/${target.trim().replace(/^\/+/, '')}`;
	return URL.canParse(joined) ? new URL(joined) : undefined;
}

/** What has been authenticated already. n8n hands the same object back when it sends once more. */
const authenticated = new WeakSet<AnyRequestOptions>();

/**
 * n8n's older request helper, which the HTTP Request node uses, sends again after any error at all: a
 * post that was accepted but not answered would go out twice.
 */
function isUnsafeRepetition(options: AnyRequestOptions): boolean {
	const { method = 'GET' } = options;
	return 'uri' in options && authenticated.has(options) && !/^(GET|HEAD|OPTIONS)$/i.test(method);
}

/** @throws CredentialUnusable when no header can carry the secret (RFC 9110, section 5.5) */
function chatSecret({ appSecret, chatAuthPrefix }: Settings): string {
	if (HEADER_SAFE.test(appSecret)) return `${chatAuthPrefix} ${appSecret}`.trim();
	throw new CredentialUnusable(
		'App Secret holds characters that no HTTP header can carry, so the chat operations cannot use it.',
	);
}

const headers: Record<
	Exclude<Authentication, 'none' | 'signature'>,
	(settings: Settings) => Record<string, string>
> = {
	legacyToken: ({ accessToken }) => ({ 'X-Legacy-Token': accessToken }),
	secret: (settings) => ({ [settings.chatAuthHeader]: chatSecret(settings) }),
	bearer: ({ accessToken }) => ({ Authorization: `Bearer ${accessToken}` }),
};

/** One that is aborted when either is. */
function eitherOf(own: AbortSignal, given: unknown): AbortSignal {
	return given instanceof AbortSignal ? AbortSignal.any([own, given]) : own;
}

/**
 * Adds what the operation behind a URL asks for (platform interface, "Authentication"), and nothing
 * to a request that leaves the Base URL's origin. Requests with a secret follow no redirect: n8n
 * would carry their headers to wherever it leads.
 *
 * @throws RequestRefused when the request could lead a secret elsewhere, or asks for a token itself
 * @throws Error when n8n repeats a request that may have taken effect
 * @throws CancelledBeforeSending when the execution was cancelled meanwhile
 */
export function authenticateRequest(
	options: AnyRequestOptions,
	settings: Settings,
): AnyRequestOptions {
	const url = targetOf(options, settings);
	const way = url ? authenticationFor(url, settings) : 'none';
	if (!url || way === 'none') return options;
	if (way === 'signature') {
		throw new RequestRefused(
			'This credential gets and renews the access token itself, and adds it to requests to other routes. Use those routes of the platform instead.',
		);
	}
	assertSafe(options, url);
	const sending = options[sendingOf];
	// The token exchange before it may have taken a while, and n8n would not say that nothing was sent.
	if (options.abortSignal?.aborted || sending?.signal.aborted) {
		throw new CancelledBeforeSending('The execution was cancelled');
	}
	if (isUnsafeRepetition(options)) {
		throw new Error(
			'The request brought no usable answer and was not sent a second time, because that could do it twice. Look on the platform whether it happened. If only the access token had expired, a new one is stored now: run the node again.',
		);
	}
	const result = {
		...options,
		...(sending && { abortSignal: eitherOf(sending.signal, options.abortSignal) }),
		headers: { ...options.headers, ...headers[way](settings) },
		disableFollowRedirect: true,
		// The same for n8n's older helper.
		followRedirect: false,
		followAllRedirects: false,
	};
	authenticated.add(result);
	if (sending) sending.handOver();
	else if (!('uri' in options)) strangers.handedOver++;
	return result;
}
