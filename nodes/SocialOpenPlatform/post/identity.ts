import { createHash } from 'node:crypto';
import { replaceCircularReferences, type IExecuteFunctions } from 'n8n-workflow';
import { argumentsOf } from '../items/agentTool';

/** Identifies a post within an execution by its place and by digests. */
export interface PostIdentity {
	/** The run and the item, or the request if an agent calls the node. */
	place: string;
	/** Digest of the input item, or of the arguments of an agent's call. */
	source: string;
	/** Digest of the request body; empty when the fields could not be read. */
	request: string;
	/** Whether an agent calls the node. n8n counts each call, and each retry of a call, as a run. */
	isCall: boolean;
}

/** Length of a digest in characters (96 bits). */
const DIGEST_LENGTH = 16;

/** An expression whose value changes with the clock. */
const READS_CLOCK = /^=.*(?:\$(?:now|today)\b|\bDate(?:Time)?\b)/s;

/**
 * Identifies the post of an item. The identity stays the same when the node is edited, or when an
 * expression returns another value in a retry, so `source` depends only on the input item.
 *
 * An agent's post is identified by its request, because the arguments may name the same account or
 * file in several ways. If *Publish At* reads the clock, each call has another time, so the
 * arguments that the expression contains count in place of the time.
 *
 * @param body the request; undefined when the fields could not be read
 * @param known the digest of the item, if it was computed before
 */
export function identify(
	context: IExecuteFunctions,
	itemIndex: number,
	body?: object,
	known?: string,
): PostIdentity {
	const call = argumentsOf(context);
	if (!call) {
		const source = known ?? digestOf(context.getInputData()[itemIndex]?.json ?? {});
		const request = body ? digestOf(body) : '';
		return { place: placeOf(context, itemIndex), source, request, isCall: false };
	}
	const { publishAt } = context.getNode().parameters;
	const expression = typeof publishAt === 'string' ? publishAt : '';
	const named = expression.split(/["'`]/);
	const ofTime = Object.entries(call).filter(([name]) => named.includes(name));
	const timed = READS_CLOCK.test(expression) && { ...body, post_date: ofTime };
	const request = body ? digestOf(timed || body) : '';
	return { place: `tool:${request}`, source: digestOf(call), request, isCall: true };
}

/** The place of an item in the execution. */
export function placeOf(context: IExecuteFunctions, itemIndex: number) {
	return `${String(context.getWorkflowDataProxy(0).$runIndex)}:${itemIndex}`;
}

/**
 * The parts of the key that identifies a post in all retries of an execution.
 *
 * @param firstExecution the ID of the execution that was retried first
 * @param app identifies the application
 */
export function retryKey(
	context: IExecuteFunctions,
	firstExecution: string | undefined,
	app: string,
	{ place, source, isCall }: PostIdentity,
) {
	// An agent may describe the same post with other arguments.
	const ofItem = isCall ? [] : [source];
	return ['retry', context.getNode().name, firstExecution, app, place, ...ofItem];
}

/** Computes the digest of any values that an item may contain. */
export function digestOf(...values: unknown[]) {
	const hash = createHash('sha256');
	for (const value of values) {
		const text = toDigestText(value);
		hash.update(`${text.length}:${text}`);
	}
	return hash.digest('base64url').slice(0, DIGEST_LENGTH);
}

/**
 * Converts a value to JSON. A Code node may output objects that contain themselves, or BigInt
 * values, which JSON cannot represent.
 */
function toDigestText(value: unknown) {
	try {
		return JSON.stringify(value) ?? '';
	} catch {
		const bigIntAsText = (_: string, part: unknown) =>
			typeof part === 'bigint' ? String(part) : part;
		return JSON.stringify(replaceCircularReferences(value), bigIntAsText) ?? '';
	}
}
