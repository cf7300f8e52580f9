import { createHash } from 'node:crypto';

import { formEncode } from './form-encode';

/**
 * The signature the platform expects of a token request: MD5 (lower hex) over every parameter it
 * received but `signature` itself, plus the secret (platform interface, Token request signature).
 */
export function expectedSignature(received: Record<string, unknown>, appSecret: string): string {
	const { signature: _signature, ...signed } = received;
	return createHash('md5')
		.update(formEncode({ ...signed, app_secret: appSecret }))
		.digest('hex');
}
