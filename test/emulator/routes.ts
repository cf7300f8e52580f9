export type Operation = 'getAccessToken' | 'createPost' | 'chatCompletions' | 'responses' | 'other';

/** Whether an operation is one of the two chat operations. */
export function isChat(operation: Operation): operation is 'chatCompletions' | 'responses' {
	return operation === 'chatCompletions' || operation === 'responses';
}

/** The platform's routes. Only their requests are recorded and affected by faults. */
const PLATFORM = {
	getAccessToken: { method: 'POST', path: '/api/v1/getAccessToken' },
	/** `{Name}` is the platform's name. */
	createPost: { method: 'POST', path: '/api/v1/socialPostCreate{Name}' },
	/** Returns the application of a bearer token. */
	ping: { method: 'GET', path: '/api/v1/ping' },
	chatCompletions: { method: 'POST', path: '/v1/chat/completions' },
	responses: { method: 'POST', path: '/v1/responses' },
};

/** All routes. The last ones belong to the page with the posts, and to programs in other processes. */
export const ROUTES = {
	...PLATFORM,
	/** Returns posts, deliveries and requests, without secrets. */
	state: { method: 'GET', path: '/__emulator/state' },
	/** Returns all platform requests. */
	received: { method: 'GET', path: '/__emulator/received' },
	reset: { method: 'POST', path: '/__emulator/reset' },
	feed: { method: 'GET', path: '/' },
	pageFile: { method: 'GET', path: '/page/:file' },
	/** Returns a sample picture. */
	media: { method: 'GET', path: '/media/:file' },
	/** Returns an image that was fetched for a post. */
	fetched: { method: 'GET', path: '/fetched/:file' },
};

export type PlatformRoute = keyof typeof PLATFORM;
export type RouteName = keyof typeof ROUTES;

/** Returns the path of a route for a platform name. */
export function pathOf(route: RouteName, platformName: string): string {
	return ROUTES[route].path.replace('{Name}', platformName);
}

/** Returns the platform route of a path without a query, or undefined if there is none. */
export function platformRoute(path: string, platformName: string): PlatformRoute | undefined {
	const routes = Object.keys(PLATFORM) as PlatformRoute[];
	return routes.find((route) => pathOf(route, platformName) === path);
}

/** Returns the operation that is recorded for a route. */
export function operationOf(route: PlatformRoute | undefined): Operation {
	return route === undefined || route === 'ping' ? 'other' : route;
}
