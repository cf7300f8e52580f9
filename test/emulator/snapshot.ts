import type { Emulator } from './emulator';

/** The number of latest requests in a snapshot. */
const RECENT = 50;

/** Returns the state for the page and other processes, without tokens, secrets, headers and queries. */
export function snapshot(state: Emulator): object {
	const { settings, received, webhooks, clock } = state;
	const deliveries = webhooks.deliveries.map(({ headers: _headers, ...shown }) => shown);
	const requests = received
		.slice(-RECENT)
		.map(({ id, at, operation, method, path, status, fault, tookEffect }) => {
			const bare = path.replace(/\?.*$/s, '');
			return { id, at, operation, method, path: bare, status, fault, tookEffect };
		});
	return {
		now: new Date(clock.now()).toISOString(),
		appId: settings.appId,
		platform: settings.platformName.toUpperCase(),
		fetchesMedia: settings.fetchMedia,
		posts: state.posts,
		deliveries,
		tokens: state.tokens.map(({ token: _token, ...shown }) => shown),
		requests,
		faults: state.faults.list(),
		webhook: {
			url: webhooks.settings.url ?? null,
			recipe: webhooks.settings.recipe,
			dropEveryNth: webhooks.settings.dropEveryNth,
		},
		counts: {
			received: received.length,
			posts: state.posts.length,
			deliveries: deliveries.length,
			byOperation: countBy(received.map(({ operation }) => operation)),
			byStatus: countBy(received.map(({ status }) => String(status))),
		},
		connections: state.connections,
	};
}

function countBy(names: string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	return counts;
}
