import type { Settings } from './settings';

/**
 * The authentication of a request (platform interface, "Authentication").
 *
 * In comments, "platform interface" is the platform's public documentation. "contract" is what this
 * package assumes where the interface shows nothing (docs/platform-assumptions.md).
 */
export type Authentication = 'signature' | 'legacyToken' | 'secret' | 'bearer' | 'none';

/**
 * The operations, with their authentication and their path below the Base URL (platform interface,
 * "Endpoints"). The name of the platform follows the path of `createPost`.
 */
const operations = {
	getAccessToken: ['signature', '/api/v1/getAccessToken'],
	createPost: ['legacyToken', '/api/v1/socialPostCreate'],
	chatCompletions: ['secret', '/v1/chat/completions'],
	responses: ['secret', '/v1/responses'],
} as const;

export type Operation = keyof typeof operations;

/** Whether an operation uses an access token. */
export function usesToken(operation: Operation) {
	return operations[operation][0] === 'legacyToken';
}

export function urlOf(operation: Operation, { baseUrl, platformName }: Settings) {
	const end = operation === 'createPost' ? platformName : '';
	return baseUrl.href.replace(/\/$/, '') + operations[operation][1] + end;
}

/** Whether a server may route a path to the token operation, with any encoding and any prefix. */
function isTokenRoute({ pathname }: URL) {
	// A server may decode a path several times, so both `%41` and `%2541` can become an A.
	const decoded = pathname.replace(/%(?:25)*([0-9a-f]{2})/gi, (_, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
	return /getaccesstoken/i.test(decoded);
}

/**
 * Returns the authentication of a request to a URL. Operations that the interface does not show use
 * the bearer token. A request to any other origin than the Base URL's receives no secret.
 */
export function authenticationFor(url: URL, settings: Settings): Authentication {
	if (url.origin !== settings.baseUrl.origin) return 'none';
	if (isTokenRoute(url)) return 'signature';
	const path = url.pathname.replace(/\/$/, '');
	const found = (Object.keys(operations) as Operation[]).find(
		(operation) => path === new URL(urlOf(operation, settings)).pathname,
	);
	return found ? operations[found][0] : 'bearer';
}
