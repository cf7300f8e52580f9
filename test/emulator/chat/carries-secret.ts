import type { Settings } from '../options';

/** Whether a chat request carries the application secret as the platform wants it carried. */
export function carriesSecret(
	headers: Record<string, string>,
	{ appSecret, chatAuthHeader, chatAuthPrefix }: Settings,
): boolean {
	const due = chatAuthPrefix === '' ? appSecret : `${chatAuthPrefix} ${appSecret}`;
	return headers[chatAuthHeader.toLowerCase()] === due;
}
