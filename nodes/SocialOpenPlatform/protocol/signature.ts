import { createHash } from 'node:crypto';
import { z } from 'zod/v4';

const text = z
	.string()
	.min(1, 'is empty')
	.refine(
		(value) => value.isWellFormed(),
		'contains half of a surrogate pair, which has no UTF-8 form',
	);

const signInputSchema = z.object({
	appId: text,
	appSecret: text,
	timestamp: z
		.number()
		.refine(Number.isSafeInteger, 'is not a whole number of milliseconds, or is too large'),
});

const labels: Record<string, string> = {
	appId: 'App ID',
	appSecret: 'App Secret',
	timestamp: 'Timestamp',
};

/**
 * The body of the token request. It must have exactly these fields (platform interface, "Get access
 * token").
 */
export const tokenRequestSchema = z.strictObject({
	app_id: z.string(),
	sign_ver: z.literal('1.0'),
	/** Unix time in milliseconds. */
	timestamp: z.int(),
	/** An MD5 digest as 32 lower-case hexadecimal characters. */
	signature: z.string().regex(/^[0-9a-f]{32}$/),
});
export type TokenRequest = z.infer<typeof tokenRequestSchema>;

function assertWellFormed(name: string, value: string): void {
	if (!value.isWellFormed()) {
		throw new RangeError(`'${name}' contains half of a surrogate pair, which has no UTF-8 form`);
	}
}

/**
 * Sorts fields by the bytes of their names. The platform sorts them in the same way before it signs
 * them.
 */
function sortedByName<T>(fields: Record<string, T>): Array<[name: string, value: T]> {
	return Object.entries(fields).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/**
 * Encodes pairs like PHP's `http_build_query` in RFC 1738 mode: `A-Z a-z 0-9 - _ .` stay unchanged,
 * a space becomes `+`, and every other byte becomes `%XX` in upper case (platform interface, "Token
 * request signature").
 *
 * @throws RangeError naming the field if a key or value has no UTF-8 form
 */
export function encodePairs(pairs: Array<[key: string, value: string]>): string {
	for (const [key, value] of pairs) {
		assertWellFormed(key, key);
		assertWellFormed(key, value);
	}
	// Unlike PHP, URLSearchParams does not encode the asterisk. It encodes all other characters in
	// the same way.
	return new URLSearchParams(pairs).toString().replaceAll('*', '%2A');
}

/**
 * Encodes fields in the form that the platform signs: sorted by the bytes of their names.
 *
 * @throws RangeError naming the field if a key or value has no UTF-8 form
 */
export function formUrlEncode(fields: Record<string, string | number>): string {
	return encodePairs(sortedByName(fields).map(([key, value]) => [key, String(value)]));
}

/**
 * Signs a token request. The secret is part of the signed text, but not of the result.
 *
 * @param input.timestamp Unix time in milliseconds, a safe integer
 * @throws RangeError naming 'App ID', 'App Secret' or 'Timestamp' if it cannot be signed
 */
export function signTokenRequest(input: {
	appId: string;
	appSecret: string;
	timestamp: number;
}): TokenRequest {
	const parsed = signInputSchema.safeParse(input);
	if (!parsed.success) {
		const problems = parsed.error.issues.map((i) => `${labels[String(i.path[0])]} ${i.message}`);
		throw new RangeError(`${problems.join('; ')}.`);
	}
	const { appId: app_id, appSecret: app_secret, timestamp } = parsed.data;
	const query = formUrlEncode({ app_id, app_secret, sign_ver: '1.0', timestamp });
	const signature = createHash('md5').update(query, 'utf8').digest('hex');
	return { app_id, sign_ver: '1.0', timestamp, signature };
}
