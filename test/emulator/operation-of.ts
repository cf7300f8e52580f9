import { pathOf, type Operation, type RouteName } from './routes';

const OPERATIONS = [
	'getAccessToken',
	'createPost',
	'chatCompletions',
	'responses',
	'ping',
] as const;

export type PlatformRoute = Extract<RouteName, (typeof OPERATIONS)[number]>;

/** Returns the platform route of a path without a query, or undefined if there is none. */
export function platformRoute(path: string, platformName: string): PlatformRoute | undefined {
	return OPERATIONS.find((route) => pathOf(route, platformName) === path);
}

/** Returns the operation that is recorded for a route. */
export function operationOf(route: PlatformRoute | undefined): Operation {
	return route === undefined || route === 'ping' ? 'other' : route;
}
