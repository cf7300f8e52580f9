import { hash } from 'node:crypto';

/**
 * Encodes pairs like PHP's `http_build_query` in RFC 1738 mode: `A-Z a-z 0-9 - _ .` stay unchanged,
 * a space becomes `+`, and every other byte becomes `%XX` in upper case (platform interface, "Token
 * request signature").
 *
 * @throws RangeError, which names the field, if a key or value has no UTF-8 form
 */
export function encodePairs(pairs: Array<[key: string, value: string]>): string {
	const unusable = pairs.find((pair) => pair.some((text) => !text.isWellFormed()));
	if (unusable) {
		throw new RangeError(
			`'${unusable[0]}' contains half of a surrogate pair, which has no UTF-8 form`,
		);
	}
	// Unlike PHP, URLSearchParams does not encode the asterisk. It encodes all other characters in
	// the same way.
	return new URLSearchParams(pairs).toString().replaceAll('*', '%2A');
}

/**
 * Encodes signed fields, sorted by the bytes of their names.
 *
 * @throws RangeError, which names the field, if a key or value has no UTF-8 form
 */
export function formUrlEncode(fields: Record<string, string | number>): string {
	const sorted = Object.entries(fields).sort(([a], [b]) =>
		Buffer.compare(Buffer.from(a), Buffer.from(b)),
	);
	return encodePairs(sorted.map(([key, value]) => [key, String(value)]));
}

/**
 * Signs a token request, and returns its body, which must have exactly these fields (platform
 * interface, "Get access token"). The secret is part of the signed string, but not of the result.
 *
 * @param input.timestamp Unix time in milliseconds, a safe integer
 * @throws RangeError, which names the field, if the ID or the secret has no UTF-8 form
 */
export function signTokenRequest(input: { appId: string; appSecret: string; timestamp: number }) {
	const { appId: app_id, appSecret: app_secret, timestamp } = input;
	const query = formUrlEncode({ app_id, app_secret, sign_ver: '1.0', timestamp });
	const signature = hash('md5', query);
	return { app_id, sign_ver: '1.0' as const, timestamp, signature };
}
