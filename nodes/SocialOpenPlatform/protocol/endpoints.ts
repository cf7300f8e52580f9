import type { Settings } from './settings';

/** How a request proves who sends it (platform interface, "Authentication"). */
export type Authentication = 'signature' | 'legacyToken' | 'secret' | 'bearer' | 'none';

/** The operations' paths below the Base URL (platform interface, "Endpoints"). */
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

/** Whether an operation is called with an access token, or with the app secret itself. */
export function takesToken(operation: Operation): boolean {
	return authentications[operation] !== 'secret';
}

/** The full URL of an operation. */
export function urlOf(operation: Operation, settings: Settings): string {
	return settings.baseUrl.href.replace(/\/$/, '') + paths[operation](settings);
}

/** A server may decode a path once or several times: `%41`, `%2541` and so on are all an A. */
const ENCODED = /%(?:25)*([0-9a-f]{2})/gi;

/** Whether a server may take a path for the token route, however it is written and below any prefix. */
function isTokenRoute({ pathname }: URL): boolean {
	const decoded = pathname.replace(ENCODED, (_, hex: string) =>
		String.fromCharCode(Number.parseInt(hex, 16)),
	);
	return /getaccesstoken/i.test(decoded);
}

/**
 * Which of the four ways a request to this URL takes. Every operation that states nothing of its own
 * takes the bearer token, and a request to any other origin than the Base URL's takes nothing.
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
