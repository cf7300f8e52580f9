import { CredentialUnusable, HEADER_VALUE, type Settings } from './settings';

/**
 * The value of the header with the App Secret.
 *
 * @throws CredentialUnusable if no header can contain the secret (RFC 9110, section 5.5)
 */
export function chatSecret({ appSecret, chatAuthPrefix }: Settings): string {
	const isSafe = HEADER_VALUE.test(appSecret) && appSecret === appSecret.trim();
	if (isSafe) return `${chatAuthPrefix} ${appSecret}`.trim();
	throw new CredentialUnusable(
		"'App Secret' contains characters that are not allowed in an HTTP header, or begins or ends with a space, so the chat operations cannot use it.",
	);
}
