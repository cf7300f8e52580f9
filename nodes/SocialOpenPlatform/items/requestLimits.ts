import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { boundedInteger, boundedNumber, once } from './values';

const DEFAULT_CONCURRENCY = 5;
const DEFAULT_RATE_LIMIT_WAIT_S = 300;

/** The option for the timeout of a request. */
export const timeoutField = (seconds: number, description: string): INodeProperties => ({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 0.1, maxValue: 3600 },
	default: seconds,
	description,
});

/** Options of every operation that sends requests: concurrency, interval, and waits for rate limits. */
export const requestLimitFields = {
	maxConcurrentRequests: {
		displayName: 'Max Concurrent Requests',
		name: 'maxConcurrentRequests',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
		default: DEFAULT_CONCURRENCY,
		description:
			'How many requests are sent to the platform at the same time, 1 to 100; <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/operations.md#many-posts">a distant platform needs more</a>. The output keeps the order of the input, and the first item\'s value applies to all items.',
	},
	minimumInterval: {
		displayName: 'Minimum Interval (Seconds)',
		name: 'minimumInterval',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 3600 },
		default: 0,
		description:
			"Minimum time between the starts of two requests, 0 to 3600; 0.5 allows two requests per second. It applies within one run of this node (each loop iteration is a new run), and the first item's value applies to all items.",
	},
	rateLimitWait: {
		displayName: 'Wait for Rate Limits (Seconds)',
		name: 'rateLimitWait',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86_400 },
		default: DEFAULT_RATE_LIMIT_WAIT_S,
		description:
			'Maximum total wait of an item after rate limits, 0 to 86,400; with 0, the item fails immediately. The node resends the item after the time that the platform requests, and the other items wait as well.',
	},
} satisfies Record<string, INodeProperties>;

/** The schema of these options. */
export const requestLimitSchema = once(() =>
	z.object({
		maxConcurrentRequests: boundedInteger('a number of requests', 1, 100).default(
			DEFAULT_CONCURRENCY,
		),
		minimumInterval: boundedNumber('a number of seconds', 0, 3600).default(0),
		rateLimitWait: boundedNumber('a number of seconds', 0, 86_400).default(
			DEFAULT_RATE_LIMIT_WAIT_S,
		),
	}),
);
