import { CredentialUnusable, type Settings } from '../settings';
import { HEADER_SAFE } from '../token';

/**
 * The value of the header with the App Secret.
 *
 * @throws CredentialUnusable if no header can contain the secret (RFC 9110, section 5.5)
 */
export function chatSecret({ appSecret, chatAuthPrefix }: Settings): string {
	if (HEADER_SAFE.test(appSecret)) return `${chatAuthPrefix} ${appSecret}`.trim();
	throw new CredentialUnusable(
		"'App Secret' contains characters that are not allowed in an HTTP header, so the chat operations cannot use it.",
	);
}
