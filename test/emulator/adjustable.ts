import { DEFAULTS, type Settings } from './options';

/** The settings that may change while the emulator runs. */
export type Adjustable = Pick<
	Settings,
	'latencyMs' | 'requestsPerSecond' | 'chatAuthHeader' | 'chatAuthPrefix'
>;

/** The characters of an HTTP header name (RFC 9110, section 5.1). */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Checks a change of settings and removes undefined values, except for the quota, where `undefined` means
 * none. Throws a TypeError for invalid values and unknown settings.
 */
export function checked(change: Partial<Adjustable>): Partial<Adjustable> {
	const {
		latencyMs = 0,
		requestsPerSecond = 1,
		chatAuthHeader = DEFAULTS.chatAuthHeader,
		chatAuthPrefix = DEFAULTS.chatAuthPrefix,
		...others
	} = change;
	const [unknownName] = Object.keys(others);
	if (unknownName !== undefined)
		throw new TypeError(`'${unknownName}' cannot be changed while the emulator runs`);
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
