export type Operation = 'getAccessToken' | 'createPost' | 'chatCompletions' | 'responses' | 'other';

/** Whether it is one of the two chat operations. */
export function isChat(operation: Operation): operation is 'chatCompletions' | 'responses' {
	return operation === 'chatCompletions' || operation === 'responses';
}

export interface Route {
	method: string;
	/** `{Name}` stands for the platform's name, `:file` for a file name. */
	path: string;
	/** `platform` routes are recorded and may be hit by faults; the others never are. */
	kind: 'platform' | 'control' | 'page';
	about: string;
}

/** Every route of the emulator. */
export const ROUTES = {
	getAccessToken: platform('POST', '/api/v1/getAccessToken', 'Issues a token to a signed request'),
	createPost: platform('POST', '/api/v1/socialPostCreate{Name}', 'Accepts a post'),
	ping: platform('GET', '/api/v1/ping', 'Says who a bearer token belongs to'),
	chatCompletions: platform('POST', '/v1/chat/completions', 'Answers a chat'),
	responses: platform('POST', '/v1/responses', 'Answers a response request'),
	state: control('GET', 'state', 'Posts, deliveries, tokens without their text, counts'),
	received: control('GET', 'received', 'Every platform request, whole'),
	secrets: control('GET', 'secrets', 'The secret and every token ever issued, for leak sweeps'),
	addFaults: control('POST', 'faults', 'Adds a fault, or an array of them'),
	clearFaults: control('DELETE', 'faults', 'Removes every fault'),
	settings: control(
		'POST',
		'settings',
		'Sets latencyMs, requestsPerSecond (null: none), chatAuthHeader, chatAuthPrefix',
	),
	reset: control('POST', 'reset', 'Back to the state at the start'),
	advance: control('POST', 'advance', 'Moves the clock by {seconds}'),
	setWebhook: control('POST', 'webhook', 'Sets {url, recipe, dropEveryNth, retryDelaysMs}'),
	deliver: control('POST', 'deliver', 'Sends {event} or {body} as one signed webhook'),
	expireTokens: control('POST', 'expire-tokens', 'Lets every token expire'),
	revokeTokens: control('POST', 'revoke-tokens', 'Revokes every token'),
	chatScript: control('POST', 'chat/script', 'Queues scripted chat replies'),
	feed: page('/', 'The feed of posts'),
	pageFile: page('/page/:file', "The feed's style and script"),
	media: page('/media/:file', 'Sample pictures'),
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;

/** The path of a route for a platform of that name. */
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
