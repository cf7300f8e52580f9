import type { Emulator } from './emulator';

/** The number of latest requests in a snapshot. */
const RECENT = 50;

/** Returns the state for the page and other processes, without tokens, secrets, headers and queries. */
export function snapshot(state: Emulator): object {
	const { settings, received, posts, clock, connections } = state;
	const requests = received.slice(-RECENT).map(({ id, at, operation, path, status, fault }) => ({
		...{ id, at, operation, status, fault },
		path: path.replace(/\?.*$/s, ''),
	}));
	const deliveries = state.deliveries.map(({ headers: _headers, ...shown }) => shown);
	return {
		now: new Date(clock.now()).toISOString(),
		platform: settings.platformName.toUpperCase(),
		fetchesMedia: settings.fetchMedia,
		...{ posts, deliveries, requests, connections },
		counts: { received: received.length, posts: posts.length, deliveries: deliveries.length },
	};
}
