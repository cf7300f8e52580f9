import { hash } from 'node:crypto';
import { z } from 'zod/v4';
import { redact, secretsIn } from './json';

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

/** Account names by ID, in the order of the credential's rows. */
export type Accounts = ReadonlyMap<string, string>;

/** Maximum length of an account ID, in characters (platform interface, "Limits"). */
const MAX_ID = 128;

/** The credential's Accounts. n8n may omit empty cells. */
const accountsSchema = z.lazy(() => {
	const cell = z.string().nullish();
	return z.object({ account: z.array(z.object({ name: cell, id: cell })).default([]) });
});

/**
 * Matches whitespace or an invisible character, such as a zero-width space, a direction mark or a
 * byte order mark.
 */
const INVISIBLE = /[\s\p{Cf}]/u;

/**
 * Removes whitespace and invisible characters from both ends of a string, because copied text may
 * contain them.
 */
export function trimInvisible(text: string) {
	let [start, end] = [0, text.length];
	while (start < end && INVISIBLE.test(text[start]!)) start++;
	while (start < end && INVISIBLE.test(text[end - 1]!)) end--;
	return text.slice(start, end);
}

/**
 * Normalizes the whitespace and the accented letters of a name, so that names match if they look
 * the same.
 */
function plainName(name: string) {
	return trimInvisible(name.normalize('NFC')).replace(/\s+/g, ' ');
}

/**
 * Returns the reason why a row of Accounts cannot be used, or undefined if it can.
 *
 * @param known the name of an earlier row with the same ID
 */
function issueOfRow(name: string, id: string, known?: string) {
	if (id === '') return 'has no ID';
	if (name === '') return 'has no name';
	if (id.length > MAX_ID) return `has an ID that is longer than ${MAX_ID} characters`;
	return known === undefined ? undefined : `has the same ID as '${known}'`;
}

/**
 * Reads the credential's Accounts. Empty rows and whitespace around names and IDs are ignored.
 *
 * @returns the usable accounts, and the issues as sentences without periods
 */
export function readAccounts(value: unknown): { accounts: Accounts; issues: string[] } {
	const accounts = new Map<string, string>();
	const { data } = accountsSchema.safeParse(value ?? {});
	if (!data) {
		return { accounts, issues: ["'Accounts' is not a list of rows with a name and an ID"] };
	}
	const issues: string[] = [];
	data.account.forEach((row, index) => {
		const [id, name] = [trimInvisible(row.id ?? ''), plainName(row.name ?? '')];
		if (name === '' && id === '') return;
		const issue = issueOfRow(name, id, accounts.get(id));
		if (issue) issues.push(`'Accounts' row ${index + 1} (${name || id}) ${issue}`);
		else accounts.set(id, name);
	});
	return { accounts, issues };
}

/**
 * Returns the accounts as a field's options. Accounts with the same name are shown with their IDs.
 */
export function accountChoices(accounts: Accounts) {
	const counts = new Map<string, number>();
	for (const name of accounts.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...accounts].map(([value, name]) => ({
		name: counts.get(name) === 1 ? name : `${name} (${value})`,
		value,
	}));
}

/**
 * Finds an account by its ID or its name. Any other value counts as an ID, unless the setting Only
 * Listed Accounts is on.
 *
 * @returns the ID, or an issue that follows the field's label in a message
 */
export function findAccount(
	{ accounts, onlyListedAccounts }: { accounts: Accounts; onlyListedAccounts: boolean },
	given: string,
): { id: string } | { issue: string } {
	const [id = given, another] = matchingIds(accounts, given);
	if (!another && (accounts.has(id) || !onlyListedAccounts)) return { id };
	const issue = another
		? 'is the name of several accounts; use the ID of one of them, or give them different names in the credential'
		: "is not listed in the credential; add it to 'Accounts' there, or turn off 'Only Listed Accounts'";
	return { issue: `(${given}) ${issue}` };
}

/** Returns the IDs of accounts with the given ID or name, or the given value if none matches. */
export function matchingIds(accounts: Accounts, given: string) {
	const name = plainName(given);
	const listed = [...accounts].filter((account) => account[0] === given || account[1] === name);
	return listed.length > 0 ? listed.map(([id]) => id) : [given];
}

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
	return hash('sha256', JSON.stringify([baseUrl.href, appId, appSecret]));
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
 * The operations, with their authentication and their path below the Base URL (platform interface,
 * "Endpoints"). The setting Platform Name is appended to the path of `createPost`.
 *
 * In comments, "platform interface" refers to the platform's public documentation. Where the
 * documentation shows nothing, docs/platform-assumptions.md lists this package's assumptions.
 */
export const platformOperations = {
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
