import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeProperties,
} from 'n8n-workflow';
import { Limiter } from '../platform/limiter';
import { type Failed, failed, lines, type Outcome } from '../platform/outcome';
import { forPerson, refuseCall, stopsAtFailure, textForAgent } from './agentTool';
import { checkOptions, requestLimitSchema } from './parameters';

/**
 * The objects that all items of a run share. Each operation has its own kind of run, which `begin`
 * returns and `execute` receives.
 */
export interface Run {
	summary?: (failures: FailedItem[]) => Summary;
}

/** The texts that n8n shows about a whole run. */
export interface Summary {
	/** Lines for the output pane, or for the error that ends the run. */
	text: string;
	/** More lines for the output pane. If there are any, n8n shows all lines as a warning. */
	warnings?: string;
}

export interface FailedItem extends Failed {
	itemIndex: number;
}

/**
 * The functions of an operation that {@link runOperation} calls. The `*.operation.ts` modules of
 * posts implement this interface. Those of chat requests do so with `chatOperation`.
 */
export interface Operation {
	/** Creates the objects that all items of the run share. */
	begin(context: IExecuteFunctions, limiter: Limiter): Promise<Run | Failed>;
	/** @param run the result of `begin` */
	execute(context: IExecuteFunctions, itemIndex: number, run: Run): Promise<Outcome<object>>;
	/**
	 * Returns advice about retries after a failure that ends the run.
	 *
	 * @param run the run after a call of `summary`, or undefined if it could not begin
	 */
	howToRetry?(context: IExecuteFunctions, run?: Run): string;
}

/** The operations of a resource by name, and its fields. */
export interface Resource {
	operations: Record<string, Operation>;
	description: INodeProperties[];
}

/**
 * Executes the chosen operation for each item, several items at a time. The output keeps the order
 * of the input. If a failure ends the run, the requests under way are still completed, so that
 * their outcomes are known.
 *
 * @throws NodeError for the first failed item, unless failed items are part of the output
 */
export async function runOperation(
	context: IExecuteFunctions,
	resources: Record<string, Resource>,
): Promise<INodeExecutionData[][]> {
	const { operation, description } = chosenOperation(context, resources);
	const itemCount = context.getInputData().length;
	const stops = stopsAtFailure(context);
	const limiter = createLimiter(context);
	const run: Run | Failed =
		(await refuseCall(context, description)) ??
		(await operation.begin(context, limiter).catch(failed.unexpected));
	const output: INodeExecutionData[] = [];
	const failures: FailedItem[] = [];
	// The callback returns the index of the last item that may still be sent.
	await limiter.forEachItem(itemCount, async (itemIndex) => {
		const outcome =
			'failure' in run
				? run
				: await operation.execute(context, itemIndex, run).catch(failed.unexpected);
		if (outcome.kind === 'stopped') return Infinity;
		if (outcome.kind === 'accepted') {
			const json = outcome.value as IDataObject;
			output[itemIndex] = { json, pairedItem: { item: itemIndex } };
			return Infinity;
		}
		const failedItem = { ...outcome, itemIndex };
		failures.push(failedItem);
		output[itemIndex] = errorItem(context, failedItem);
		if (!stops || outcome.failure.isFromEarlierAttempt) return Infinity;
		// After an invalid item, the items before it are still sent. After any other failure, no
		// further item is sent.
		return outcome.kind === 'invalid' ? itemIndex : -1;
	});
	// n8n would show a canceled execution as failed if the node threw an error.
	if (context.getExecutionCancelSignal()?.aborted) return [output.filter(Boolean)];
	const { text = '', warnings } = ('failure' in run ? undefined : run.summary?.(failures)) ?? {};
	const [first] = failures.sort((a, b) => a.itemIndex - b.itemIndex);
	if (first && stops) {
		const advice = lines(
			itemCount > 1 && text,
			forPerson(context, operation.howToRetry?.(context, 'failure' in run ? undefined : run) ?? ''),
		);
		throw withLines(errorOf(context, first), advice);
	}
	if (text) {
		const message = toHtml(lines(text, warnings));
		const type = warnings ? 'warning' : 'info';
		context.addExecutionHints({ message, location: 'outputPane', type });
	}
	return [output];
}

function chosenOperation(context: IExecuteFunctions, resources: Record<string, Resource>) {
	const { operations, description } = resources[context.getNodeParameter('resource', 0)] ?? {};
	const operation = operations?.[context.getNodeParameter('operation', 0)];
	if (description && operation) return { operation, description };
	const message = "There is no such operation. Choose one in the node's panel.";
	throw new NodeOperationError(context.getNode(), message);
}

/**
 * Creates the output for a failed item. Its `json` contains the message as `error`, and `details`
 * for workflows that branch on them.
 *
 * n8n sends an item to the error output if it has an `error` beside its `json`, or, in newer
 * versions, if its `json` contains only `error` and `details`. Later, n8n replaces the `json` of an
 * item that has an `error` with the error's message. The `error` is not enumerable, so the copy
 * that n8n sends to the error output lacks it and keeps its `json`.
 */
function errorItem(context: IExecuteFunctions, failedItem: FailedItem) {
	const { kind, failure, itemIndex } = failedItem;
	const error = errorOf(context, failedItem);
	const { message, description } = error;
	const details = { outcome: kind, ...failure.facts, description, item_index: itemIndex };
	const item: INodeExecutionData = {
		json: { error: message, details },
		pairedItem: { item: itemIndex },
	};
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	if (!hasErrorOutput) return item;
	return Object.defineProperty(item, 'error', { value: error, writable: true, configurable: true });
}

/**
 * Creates a run's limiter from the first item's options. Invalid options are not reported here, but
 * for each item.
 */
function createLimiter(context: IExecuteFunctions) {
	let given: unknown;
	try {
		given = context.getNodeParameter('options', 0, {});
	} catch {
		given = {};
	}
	const { maxConcurrentRequests, minimumInterval } = checkOptions(
		requestLimitSchema(),
		given,
		{},
	).options;
	return new Limiter({
		maxConcurrent: maxConcurrentRequests,
		intervalMs: minimumInterval * 1000,
		signal: context.getExecutionCancelSignal(),
	});
}

/** Returns an item's name for messages, such as "post 2 of 5", or undefined for a single item. */
export function nameOf(what: string, itemIndex: number, itemCount: number) {
	return itemCount > 1 ? `${what} ${itemIndex + 1} of ${itemCount}` : undefined;
}

/**
 * Creates the error for a failed item. For an AI agent, the message also contains the description,
 * because a model sees nothing else.
 */
function errorOf(context: IExecuteFunctions, failedItem: FailedItem) {
	const error = toNodeError(context.getNode(), failedItem.itemIndex, failedItem);
	const text = textForAgent(context, failedItem);
	if (text === undefined) return error;
	error.message = text;
	return withDescription(error, undefined);
}

type NodeError = NodeApiError | NodeOperationError;

/**
 * Creates the error with which n8n shows a failed request. The error's data contain the item's
 * index. The error's context contains it only for an unexpected error, because n8n adds this index
 * to the message, counted from 0.
 */
export function toNodeError(node: INode, itemIndex: number, { kind, failure }: Failed): NodeError {
	const { message, description, facts = {}, cause, error: thrown } = failure;
	if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) {
		thrown.context.itemIndex ??= itemIndex;
		return thrown;
	}
	const data = { outcome: kind, ...facts, item_index: itemIndex };
	const httpCode = facts.http_status?.toString();
	const error =
		kind === 'invalid'
			? new NodeOperationError(node, thrown ?? message, thrown && { itemIndex })
			: new NodeApiError(node, data, { message, httpCode, failure: cause });
	error.context.data = data;
	if (thrown) return error;
	// The message is set again, because n8n replaces one that contains the name of a system error,
	// even inside a word.
	error.message = message;
	return withDescription(error, description);
}

/**
 * Sets an error's description. n8n's editor shows the template, which is HTML. Everything else
 * reads the description as plain text.
 */
export function withDescription(
	error: NodeError,
	description: string | undefined,
	template = description && toHtml(description),
) {
	error.description = description;
	error.context.descriptionTemplate = template;
	return error;
}

/** Adds lines to an error's description. The description of n8n's own errors may be HTML. */
function withLines(error: NodeError, added: string) {
	const { context, description } = error;
	const template = (context.descriptionTemplate ?? description ?? '') as string;
	const all = [template, toHtml(added)].filter(Boolean).join('<br>');
	return withDescription(error, lines(description ?? undefined, added), all);
}

function toHtml(text: string) {
	return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/\n/g, '<br>');
}
