import type { IExecuteFunctions } from 'n8n-workflow';
import { requestLimitSchema } from './requestLimits';
import { Limiter } from '../platform/limiter';
import type { Failed, Outcome } from '../platform/outcome';

/** What the items of one run of the node share. */
export interface Run {
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
	begin(context: IExecuteFunctions, limiter: Limiter): Promise<Run | Failed>;
	/** @param run the result of `begin` */
	execute(context: IExecuteFunctions, itemIndex: number, run: Run): Promise<Outcome<object>>;
	/**
	 * Returns advice about retries after a failure that ends the run.
	 *
	 * @param hasSeveral whether the run has sent several items
	 */
	howToRetry?: (context: IExecuteFunctions, hasSeveral: boolean) => string;
}

/**
 * Creates the limiter of a run from the options of the first item. Invalid options are not reported
 * here, but for each item.
 */
export function createLimiter(context: IExecuteFunctions): Limiter {
	return new Limiter({
		maxConcurrent: firstItemOption(context, 'maxConcurrentRequests'),
		intervalMs: firstItemOption(context, 'minimumInterval') * 1000,
		signal: context.getExecutionCancelSignal(),
	});
}

function firstItemOption(
	context: IExecuteFunctions,
	name: 'maxConcurrentRequests' | 'minimumInterval',
): number {
	const schema = requestLimitSchema.shape[name];
	try {
		return schema.parse(context.getNodeParameter(`options.${name}`, 0, undefined));
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
	const { pauses, waitedMs } = rateLimits;
	if (pauses === 0) return '';
	const seconds = Math.round(waitedMs / 100) / 10;
	const times = pauses === 1 ? 'once' : `${pauses} times`;
	return `Waited ${seconds} seconds, because the platform reported a rate limit ${times}.`;
}
