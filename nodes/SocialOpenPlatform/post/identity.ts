import { createHash } from 'node:crypto';
import {
	replaceCircularReferences,
	traverseNodeParameters,
	type FromAIArgument,
	type IExecuteFunctions,
} from 'n8n-workflow';
import { isTool } from '../items/agentTool';
import type { PostIdentity } from './ledger';
import { readPublishTime } from './publishTime';

/** Length of a digest in characters (96 bits). */
const LENGTH = 16;

/** Computes the digest of any values that an item may contain. */
export function digestOf(...values: unknown[]): string {
	const hash = createHash('sha256');
	for (const value of values) {
		const text = toJson(value);
		hash.update(`${text.length}:${text}`);
	}
	return hash.digest('base64url').slice(0, LENGTH);
}

/**
 * Converts a value to JSON. A Code node may output objects that contain themselves, or BigInt
 * values, which JSON cannot represent.
 */
function toJson(value: unknown): string {
	try {
		return JSON.stringify(value) ?? '';
	} catch {
		const bigIntAsText = (_: string, part: unknown) =>
			typeof part === 'bigint' ? String(part) : part;
		return JSON.stringify(replaceCircularReferences(value), bigIntAsText) ?? '';
	}
}

/**
 * Computes the digests that identify a post.
 *
 * @param body the request; undefined when the fields could not be read
 */
export type Fingerprint = (itemIndex: number, body: object | undefined) => PostIdentity;

/**
 * Returns a function that identifies posts. A post stays the same when the node is edited, or when
 * an expression returns another value in a retry, so `source` depends only on the input item. A
 * post of an agent stays the same when *Publish At* reads the clock, so only the agent's arguments
 * for its time count. The other arguments may name the same account or file in several ways.
 */
export function fingerprinter(context: IExecuteFunctions): Fingerprint {
	const inTool = isTool(context);
	const items = context.getInputData();
	const asked: FromAIArgument[] = [];
	const { publishTime, publishAt } = context.getNode().parameters;
	if (inTool) traverseNodeParameters({ publishTime, publishAt }, asked);
	return (itemIndex, body) => {
		const input = items[itemIndex]?.json ?? {};
		const times = asked.map(({ key }) => {
			const given = input[key];
			return readPublishTime(given, context.getTimezone())?.toMillis() ?? given;
		});
		// n8n adds an ID to each call of an agent.
		const source = digestOf(inTool ? { ...input, toolCallId: undefined } : input);
		// With *Now*, a time in *Other Fields* is part of the post.
		const isTimed = inTool && publishTime !== 'now';
		const request = digestOf(times, isTimed ? { ...body, post_date: undefined } : body);
		return { itemIndex, source, request: body ? request : '' };
	};
}
