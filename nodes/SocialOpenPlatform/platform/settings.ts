import { createHash } from 'node:crypto';
import { z } from 'zod/v4';
import { readAccounts, trimInvisible } from './accounts';
import { redact, secretsIn } from './redact';

/**
 * Default values of the credential's text fields. The platform's documentation shows only the value
 * of `platformName`. The others are assumed.
 */
export const credentialDefaults = {
	platformName: 'Photo',
	renewalCodes: '1001, 10103, 10104',
	rateLimitCodes: '429',
	chatAuthHeader: 'Authorization',
	chatAuthPrefix: 'Bearer',
};

/** Matches a header value of visible ASCII characters and spaces (RFC 9110, section 5.5). */
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/**
 * Matches visible ASCII characters. Programs may change other characters in an HTTP header (RFC
 * 9110, section 5.5).
 */
export const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** Matches the name of an HTTP header (RFC 9110, section 5.6.2). */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const filled = (label: string) =>
	z.string(`'${label}' is empty or not text`).min(1, `'${label}' is empty`);

/**
 * Returns the schema of a signed field. A lone surrogate has no UTF-8 form, so it cannot be signed.
 */
const signed = (label: string) =>
	filled(label).refine(
		(text) => text.isWellFormed(),
		`'${label}' contains an incomplete character (a lone surrogate); copy it again`,
	);

const codes = (label: string) =>
	z
		.string(`'${label}' is not text`)
		.regex(
			/^[\d\s,;]*$/,
			`'${label}' contains something that is not a number; enter codes such as 1001, 10103`,
		)
		.transform((text) => new Set((text.match(/\d+/g) ?? []).map(Number)));

/**
 * Matches slashes at the end of a string. A match can begin only at the first of several slashes,
 * so that the search takes linear time.
 */
export const SLASHES_AT_END = /(?<!\/)\/+$/;

/**
 * Reads the Base URL, which uses http or https and may have a path. Slashes at the end are removed,
 * and so is `/api/v1`, because this package adds it to the paths that need it.
 */
function readBaseUrl(text: string, context: z.RefinementCtx): URL {
	const fail = (issue: string) => {
		context.addIssue({ code: 'custom', message: `'Base URL' ${issue}` });
		return z.NEVER;
	};
	const trimmed = trimInvisible(text)
		.replace(SLASHES_AT_END, '')
		.replace(/\/api\/v1$/, '');
	const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
	// A proxy may read a path that starts with two slashes as the URL of another server.
	if (!url || !/^https?:\/\/[^/]+\/(?!\/)/.test(url.href)) {
		return fail('is not a valid URL; it must look like https://api.example.com');
	}
	const more = url.username || url.password || url.search || url.hash;
	return more ? fail('contains a user name, a password, or a ? or # part; remove it') : url;
}

/** Matches this machine's host names and addresses. Requests to them never cross a network. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** This schema is built on first use, so that it does not slow down loading. */
const settingsSchema = z.lazy(() =>
	z
		.object({
			baseUrl: filled('Base URL').transform(readBaseUrl),
			appId: signed('App ID'),
			appSecret: signed('App Secret'),
			accessToken: z.string(),
			accounts: z.unknown().transform((value, context) => {
				const { accounts, issues } = readAccounts(value);
				for (const message of issues) context.addIssue({ code: 'custom', message });
				return accounts;
			}),
			onlyListedAccounts: z.boolean("'Only Listed Accounts' is neither on nor off"),
			allowPlainHttp: z.boolean("'Allow Plain HTTP' is neither on nor off"),
			platformName: filled('Platform Name').regex(
				/^[\w-]+$/,
				"'Platform Name' may contain only letters, digits, - and _",
			),
			renewalCodes: codes('Expired-Token Codes'),
			rateLimitCodes: codes('Rate-Limit Codes'),
			chatAuthHeader: filled('Chat Secret Header').regex(
				HEADER_NAME,
				"'Chat Secret Header' is not the name of an HTTP header",
			),
			chatAuthPrefix: z
				.string("'Chat Secret Prefix' is not text")
				.regex(HEADER_VALUE, "'Chat Secret Prefix' must be plain ASCII text"),
		})
		.refine(({ allowPlainHttp, baseUrl }) => {
			return allowPlainHttp || baseUrl.protocol !== 'http:' || LOOPBACK.test(baseUrl.hostname);
		}, "'Base URL' starts with http://, so anyone on the network path could read the access token. Use https://, or turn on Allow Plain HTTP in the credential (under Show Advanced Settings)"),
);

/** The credential's fields, checked and converted. */
export type Settings = z.infer<typeof settingsSchema>;

/** Thrown if a credential cannot be used. The message describes the issues with its fields. */
export class CredentialUnusable extends Error {
	override name = 'CredentialUnusable';
	/** The code that n8n 1 keeps when it wraps this error in another one. */
	static readonly code = 'CREDENTIAL_UNUSABLE';
	readonly errorCode = CredentialUnusable.code;
}

/**
 * Parses a credential's fields.
 *
 * @throws CredentialUnusable, which lists the fields that do not match the schema
 */
export function parseCredential<T>(schema: z.ZodType<T>, data: Record<string, unknown>): T {
	const parsed = schema.safeParse(data);
	if (parsed.success) return parsed.data;
	const message = `${parsed.error.issues.map((i) => i.message).join('. ')}.`;
	// Secrets are redacted, because some messages quote a value, and a user may have entered a secret
	// in the wrong field.
	const { appSecret, accessToken } = Object(data) as typeof data;
	throw new CredentialUnusable(redact(message, secretsIn(appSecret, accessToken)));
}

/**
 * Reads a credential's decrypted data. A missing field gets its default value, because n8n omits
 * hidden fields, and a credential may be older than a field. A switch whose expression returns
 * nothing is refused, so that Only Listed Accounts is not turned off by accident.
 *
 * @throws CredentialUnusable, which lists the fields that cannot be used
 */
export function readSettings(data: Record<string, unknown>): Settings {
	const switches = { onlyListedAccounts: false, allowPlainHttp: false };
	return parseCredential(settingsSchema, {
		...credentialDefaults,
		...switches,
		accessToken: '',
		...data,
	});
}

/**
 * Returns a digest of Base URL, App ID and App Secret, which identifies a token's application
 * without revealing the secret.
 */
export function applicationDigest({ baseUrl, appId, appSecret }: Settings) {
	return createHash('sha256')
		.update(JSON.stringify([baseUrl.href, appId, appSecret]))
		.digest('hex');
}

/**
 * Returns the value in which a token is stored. It identifies the application, because n8n keeps
 * the value when other fields of the credential change, and an expression may select another
 * application in each execution.
 */
export function boundToken(token: string, settings: Settings) {
	return `${token} ${applicationDigest(settings)}`;
}

/** Returns the token in a stored value, or an empty string if it belongs to another application. */
export function tokenIn(stored: unknown, settings: Settings) {
	const [token = ''] = String(stored).split(' ');
	return stored === boundToken(token, settings) ? token : '';
}

/**
 * Returns the value of the header in which chat requests send the App Secret.
 *
 * @throws CredentialUnusable if no header can contain the secret (RFC 9110, section 5.5)
 */
export function chatSecret({ appSecret, chatAuthPrefix }: Settings) {
	if (HEADER_VALUE.test(appSecret) && appSecret === appSecret.trim()) {
		return `${chatAuthPrefix} ${appSecret}`.trim();
	}
	throw new CredentialUnusable(
		"'App Secret' contains characters that are not allowed in an HTTP header, or begins or ends with a space, so the chat operations cannot use it.",
	);
}

/**
 * The authentication of a request (platform interface, "Authentication").
 *
 * In comments, "platform interface" refers to the platform's public documentation. Where the
 * documentation shows nothing, docs/platform-assumptions.md lists this package's assumptions.
 */
export type Authentication = 'signature' | 'legacyToken' | 'secret' | 'bearer' | 'none';

/**
 * The operations, with their authentication and their path below the Base URL (platform interface,
 * "Endpoints"). The setting Platform Name is appended to the path of `createPost`.
 */
const platformOperations = {
	getAccessToken: ['signature', '/api/v1/getAccessToken'],
	createPost: ['legacyToken', '/api/v1/socialPostCreate'],
	chatCompletions: ['secret', '/v1/chat/completions'],
	responses: ['secret', '/v1/responses'],
} as const;

export type PlatformOperation = keyof typeof platformOperations;

export function urlOf(operation: PlatformOperation, { baseUrl, platformName }: Settings) {
	const end = operation === 'createPost' ? platformName : '';
	return baseUrl.href.replace(/\/$/, '') + platformOperations[operation][1] + end;
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
export function authenticationFor(url: URL, settings: Settings): Authentication {
	if (url.origin !== settings.baseUrl.origin) return 'none';
	if (isTokenRoute(url)) return 'signature';
	const path = url.pathname.replace(/\/$/, '');
	const found = (Object.keys(platformOperations) as PlatformOperation[]).find(
		(operation) => path === new URL(urlOf(operation, settings)).pathname,
	);
	return found ? platformOperations[found][0] : 'bearer';
}
