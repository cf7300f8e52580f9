import { createHash } from 'node:crypto';
import { replaceCircularReferences, type IExecuteFunctions } from 'n8n-workflow';
import { withoutLocator } from '../../parameters/values';
import type { PostIdentity } from '../ledger';
import { postParameters } from './request';

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
 * tool of an agent has no input item: its `source` depends on the arguments of the agent, the
 * stored fields of the node, and the run of the agent.
 */
export function fingerprinter(context: IExecuteFunctions, inTool: boolean): Fingerprint {
	const { parameters } = context.getNode();
	const fields = postParameters.map((name) => withoutLocator(parameters[name]) ?? null);
	const items = context.getInputData();
	const shared = inTool ? [fields, agentRun(context)] : [];
	return (itemIndex, body) => {
		const input = items[itemIndex]?.json ?? {};
		// n8n adds an ID to each call of an agent.
		const given = inTool ? { ...input, toolCallId: undefined } : input;
		return {
			itemIndex,
			source: digestOf(...shared, given),
			request: body ? digestOf(body) : '',
		};
	};
}

/**
 * Identifies the run of the agent by the node before it and the run of that node. If the agent runs
 * in a loop, each run creates new posts.
 */
function agentRun(context: IExecuteFunctions): unknown {
	try {
		const { $prevNode } = context.getWorkflowDataProxy(0);
		const { name, runIndex } = $prevNode as { name?: string; runIndex?: number };
		return [name, runIndex];
	} catch {
		return [];
	}
}
