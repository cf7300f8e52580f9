export type Operation = 'getAccessToken' | 'createPost' | 'chatCompletions' | 'responses' | 'other';

/** Whether an operation is one of the two chat operations. */
export function isChat(operation: Operation): operation is 'chatCompletions' | 'responses' {
	return operation === 'chatCompletions' || operation === 'responses';
}

export interface Route {
	method: string;
	/** The path, in which `{Name}` is the platform's name and `:file` a file name. */
	path: string;
	/** Only `platform` routes are recorded and affected by faults. */
	kind: 'platform' | 'control' | 'page';
	about: string;
}

export const ROUTES = {
	getAccessToken: platform('POST', '/api/v1/getAccessToken', 'Issues a token for a signed request'),
	createPost: platform('POST', '/api/v1/socialPostCreate{Name}', 'Accepts a post'),
	ping: platform('GET', '/api/v1/ping', 'Returns the application of a bearer token'),
	chatCompletions: platform('POST', '/v1/chat/completions', 'Creates a completion'),
	responses: platform('POST', '/v1/responses', 'Creates a response'),
	state: control(
		'GET',
		'state',
		'Returns posts, deliveries, counts, and tokens without their text',
	),
	received: control('GET', 'received', 'Returns all platform requests'),
	secrets: control(
		'GET',
		'secrets',
		'Returns the secret and all issued tokens, for tests that search for leaks',
	),
	addFaults: control('POST', 'faults', 'Adds a fault or an array of faults'),
	clearFaults: control('DELETE', 'faults', 'Removes all faults'),
	settings: control(
		'POST',
		'settings',
		'Sets latencyMs, requestsPerSecond (null: none), chatAuthHeader, chatAuthPrefix',
	),
	reset: control('POST', 'reset', 'Restores the initial state'),
	advance: control('POST', 'advance', 'Advances the clock by {seconds}'),
	setWebhook: control(
		'POST',
		'webhook',
		'Sets {url, recipe, dropEveryNth, retryDelaysMs, timeoutMs}',
	),
	deliver: control('POST', 'deliver', 'Sends {event} or {body} as one signed webhook'),
	expireTokens: control('POST', 'expire-tokens', 'Makes all tokens expire'),
	revokeTokens: control('POST', 'revoke-tokens', 'Revokes all tokens'),
	chatScript: control('POST', 'chat/script', 'Queues scripted chat replies'),
	feed: page('/', 'Returns the page with the feed of posts'),
	pageFile: page('/page/:file', "Returns the page's style or script"),
	media: page('/media/:file', 'Returns a sample picture'),
	fetched: page('/fetched/:file', 'Returns an image that was fetched for a post'),
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;

/** Returns the path of a route for a platform name. */
export function pathOf(route: RouteName, platformName: string): string {
	return ROUTES[route].path.replace('{Name}', platformName);
}

function platform(method: string, path: string, about: string): Route {
	return { method, path, kind: 'platform', about };
}

function control(method: string, name: string, about: string): Route {
	return { method, path: `/__emulator/${name}`, kind: 'control', about };
}

function page(path: string, about: string): Route {
	return { method: 'GET', path, kind: 'page', about };
}
