import { z } from 'zod/v4';

import type { Settings } from './options';

/** The characters of an HTTP header name (RFC 9110, section 5.1). */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** The settings that may change while the emulator runs. */
const adjustable = z.strictObject({
	latencyMs: z.number().min(0).optional(),
	requestsPerSecond: z.number().min(1).optional(),
	chatAuthHeader: z.string().regex(HEADER_NAME).optional(),
	chatAuthPrefix: z.string().optional(),
});

export type Adjustable = Pick<Settings, keyof z.infer<typeof adjustable>>;

/**
 * Checks a change of settings and removes undefined values, except for the quota, where `undefined` means
 * none. Throws a TypeError for invalid values and unknown settings.
 */
export function checked(change: Partial<Adjustable>): Partial<Adjustable> {
	const { error } = adjustable.safeParse(change);
	if (error) throw new TypeError(z.prettifyError(error));
	return Object.fromEntries(
		Object.entries(change).filter(
			([name, value]) => value !== undefined || name === 'requestsPerSecond',
		),
	);
}
