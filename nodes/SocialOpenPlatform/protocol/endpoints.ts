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

/**
 * Which of the four ways a request to this URL takes. Every operation that states nothing of its own
 * takes the bearer token, and a request to any other origin than the Base URL's takes nothing.
 */
export function authenticationFor(url: URL, settings: Settings): Authentication {
	if (url.origin !== settings.baseUrl.origin) return 'none';
	const path = url.pathname.replace(/\/$/, '');
	for (const operation of Object.keys(paths) as Operation[]) {
		if (path === new URL(urlOf(operation, settings)).pathname) return authentications[operation];
	}
	return 'bearer';
}
