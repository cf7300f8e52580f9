import type { Settings } from '../options';

/** Whether a chat request contains the application secret in the configured header and form. */
export function carriesSecret(
	headers: Record<string, string>,
	{ appSecret, chatAuthHeader, chatAuthPrefix }: Settings,
): boolean {
	const due = chatAuthPrefix === '' ? appSecret : `${chatAuthPrefix} ${appSecret}`;
	return headers[chatAuthHeader.toLowerCase()] === due;
}
