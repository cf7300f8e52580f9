import { createHash } from 'node:crypto';

import { formEncode } from './form-encode';

/**
 * Returns the expected signature of a token request: the MD5 in lower-case hexadecimal of all received
 * parameters except `signature`, and the secret (platform interface, Token request signature).
 */
export function expectedSignature(received: Record<string, unknown>, appSecret: string): string {
	const { signature: _signature, ...signed } = received;
	return createHash('md5')
		.update(formEncode({ ...signed, app_secret: appSecret }))
		.digest('hex');
}
