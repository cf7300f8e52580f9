import { DEFAULTS, type Settings } from './options';

/** What may change while it runs. */
export type Adjustable = Pick<
	Settings,
	'latencyMs' | 'requestsPerSecond' | 'chatAuthHeader' | 'chatAuthPrefix'
>;

/** What the name of an HTTP header may consist of (RFC 9110, section 5.1). */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * What a change changes: a quota alone can be `undefined`, which takes it away. Throws a TypeError for
 * a latency below 0, a quota below 1, and what cannot be set.
 */
export function checked(change: Partial<Adjustable>): Partial<Adjustable> {
	const {
		latencyMs = 0,
		requestsPerSecond = 1,
		chatAuthHeader = DEFAULTS.chatAuthHeader,
		chatAuthPrefix = DEFAULTS.chatAuthPrefix,
		...others
	} = change;
	const [stranger] = Object.keys(others);
	if (stranger !== undefined) throw new TypeError(`'${stranger}' cannot be set while it runs`);
	if (!(latencyMs >= 0 && Number.isFinite(latencyMs))) {
		throw new TypeError(`'latencyMs' is not a number >= 0: ${latencyMs}`);
	}
	if (!(requestsPerSecond >= 1 && Number.isFinite(requestsPerSecond))) {
		throw new TypeError(`'requestsPerSecond' is not a number >= 1: ${requestsPerSecond}`);
	}
	if (!HEADER_NAME.test(chatAuthHeader)) {
		throw new TypeError(`'chatAuthHeader' is not the name of a header: '${chatAuthHeader}'`);
	}
	if (typeof chatAuthPrefix !== 'string') throw new TypeError("'chatAuthPrefix' is not a text");
	return Object.fromEntries(
		Object.entries(change).filter(
			([name, value]) => value !== undefined || name === 'requestsPerSecond',
		),
	);
}
