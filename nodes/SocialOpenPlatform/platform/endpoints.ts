import type { Settings } from './settings';

/** How a request is authenticated (platform interface, "Authentication"). */
export type Authentication = 'signature' | 'legacyToken' | 'secret' | 'bearer' | 'none';

/** The paths of the operations below the Base URL (platform interface, "Endpoints"). */
const paths = {
	getAccessToken: () => '/api/v1/getAccessToken',
	createPost: (settings: Settings) => `/api/v1/socialPostCreate${settings.platformName}`,
	chatCompletions: () => '/v1/chat/completions',
	responses: () => '/v1/responses',
};

export type Operation = keyof typeof paths;

const authentications: Record<Operation, Authentication> = {
	getAccessToken: 'signature',
	createPost: 'legacyToken',
	chatCompletions: 'secret',
	responses: 'secret',
};

/** Whether an operation uses an access token. All other operations use the App Secret. */
export function usesToken(operation: Operation): boolean {
	return authentications[operation] !== 'secret';
}

export function urlOf(operation: Operation, settings: Settings): string {
	return settings.baseUrl.href.replace(/\/$/, '') + paths[operation](settings);
}

/**
 * A percent-encoded character. A server may decode a path several times, so both `%41` and `%2541`
 * can become an A.
 */
const ENCODED = /%(?:25)*([0-9a-f]{2})/gi;

/** Whether a server may route a path to the token operation, with any encoding and any prefix. */
function isTokenRoute({ pathname }: URL): boolean {
	const decoded = pathname.replace(ENCODED, (_, hex: string) =>
		String.fromCharCode(Number.parseInt(hex, 16)),
	);
	return /getaccesstoken/i.test(decoded);
}

/**
 * How a request to a URL is authenticated. Operations that the interface does not show use the
 * bearer token. A request to any other origin than the Base URL's receives no secret.
 */
export function authenticationFor(url: URL, settings: Settings): Authentication {
	if (url.origin !== settings.baseUrl.origin) return 'none';
	if (isTokenRoute(url)) return 'signature';
	const path = url.pathname.replace(/\/$/, '');
	for (const operation of Object.keys(paths) as Operation[]) {
		if (path === new URL(urlOf(operation, settings)).pathname) return authentications[operation];
	}
	return 'bearer';
}
