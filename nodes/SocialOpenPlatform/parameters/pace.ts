import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

const DEFAULT_WIDTH = 5;
const DEFAULT_RATE_LIMIT_WAIT_S = 300;

/** Options of every operation that sends requests: concurrency, interval, and waits for rate limits. */
export const paceFields = {
	maxConcurrentRequests: {
		displayName: 'Max Concurrent Requests',
		name: 'maxConcurrentRequests',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
		default: DEFAULT_WIDTH,
		description:
			"How many items are on their way to the platform at the same time, 1 to 100. They come out in the order in which they came in. The first item's value counts for all.",
	},
	minimumInterval: {
		displayName: 'Minimum Interval (Seconds)',
		name: 'minimumInterval',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 3600 },
		default: 0,
		description:
			"Least time between the starts of two requests, for platforms with a quota: 0.5 makes two requests a second at most. It counts within one run of this node; each round of a loop is a run of its own. The first item's value counts for all.",
	},
	rateLimitWait: {
		displayName: 'Wait for Rate Limits (Seconds)',
		name: 'rateLimitWait',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86_400 },
		default: DEFAULT_RATE_LIMIT_WAIT_S,
		description:
			'How long an item may wait in all when the platform says that requests come too fast (nothing was done then). It is sent again after the time that the platform asks for, and the other items wait too. 0 makes it an error at once.',
	},
} satisfies Record<string, INodeProperties>;

/** A number within limits, with messages for other values. */
export const boundedNumber = (unit: string, min: number, max: number) =>
	z
		.number(`is not a number of ${unit}`)
		.min(min, `is below ${min} ${unit}`)
		.max(max, `is above ${max} ${unit}`);

/** The values of these options. */
export const paceSchema = z.object({
	maxConcurrentRequests: boundedNumber('requests', 1, 100)
		.int('is not a whole number')
		.default(DEFAULT_WIDTH),
	minimumInterval: boundedNumber('seconds', 0, 3600).default(0),
	rateLimitWait: boundedNumber('seconds', 0, 86_400).default(DEFAULT_RATE_LIMIT_WAIT_S),
});
