import type { IExecuteFunctions } from 'n8n-workflow';
import { requestLimitSchema } from '../parameters/requestLimits';
import { toNumber } from '../parameters/values';
import { Limiter } from '../transport/limiter';
import type { Failed, Outcome } from '../transport/outcome';
import { stopsAtFailure } from './agentTool';

/** What the items of one run of the node share. */
export interface Run {
	/** Maximum number of items that are processed at the same time. */
	concurrency: number;
	limiter?: Limiter;
	summary?: (failures: ItemFailure[]) => Summary;
}

/** What n8n shows about a whole run. */
export interface Summary {
	/** Lines for the output pane, or for the error that ends the run. */
	text: string;
	/** More lines for the output pane, which is then shown as a warning. */
	warnings?: string;
}

export interface ItemFailure extends Failed {
	itemIndex: number;
}

/** The functions that the file of an operation exports. */
export interface Operation {
	/** Reads once what all items of the run share. */
	begin(context: IExecuteFunctions): Promise<Run | Failed>;
	/** @param run the result of `begin` */
	execute(context: IExecuteFunctions, itemIndex: number, run: Run): Promise<Outcome<object>>;
}

/** Items are read ahead, so that the next one is ready when a response arrives. */
const READ_AHEAD = 2;

/**
 * Creates the limiter of a run from the options of the first item. Invalid options are not reported
 * here, but for each item.
 */
export function createLimiter(context: IExecuteFunctions): {
	limiter: Limiter;
	concurrency: number;
} {
	const maxConcurrent = firstItemOption(context, 'maxConcurrentRequests');
	const limiter = new Limiter({
		maxConcurrent,
		intervalMs: firstItemOption(context, 'minimumInterval') * 1000,
		stopsAtFailure: stopsAtFailure(context),
		keepsOrder: true,
		signal: context.getExecutionCancelSignal(),
	});
	return { limiter, concurrency: READ_AHEAD * maxConcurrent };
}

function firstItemOption(
	context: IExecuteFunctions,
	name: 'maxConcurrentRequests' | 'minimumInterval',
): number {
	const schema = requestLimitSchema.shape[name];
	try {
		const value = context.getNodeParameter(`options.${name}`, 0, undefined) as unknown;
		return schema.safeParse(toNumber(value)).data ?? schema.parse(undefined);
	} catch {
		return schema.parse(undefined);
	}
}

/** How messages name one of several items, counted from 1; undefined for a single item. */
export function nameOf(what: string, itemIndex: number, itemCount: number): string | undefined {
	return itemCount > 1 ? `${what} ${itemIndex + 1} of ${itemCount}` : undefined;
}

/** A sentence about how long a run waited for rate limits; empty if it did not wait. */
export function describeRateLimits({ rateLimits }: Pick<Limiter, 'rateLimits'>): string {
	const { responses, waitedMs } = rateLimits;
	if (responses === 0) return '';
	const seconds = Math.round(waitedMs / 100) / 10;
	const times = responses === 1 ? 'once' : `${responses} times`;
	return `Waited ${seconds} seconds, because the platform reported a rate limit ${times}.`;
}
