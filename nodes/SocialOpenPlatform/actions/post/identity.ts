import { createHash } from 'node:crypto';
import { replaceCircularReferences, type IExecuteFunctions } from 'n8n-workflow';
import type { PostIdentity } from '../ledger';
import { postParameters } from './request';

/** A digest is cut to 16 characters (96 bits), because n8n stores three digests of each post. */
const LENGTH = 16;

/** @param values anything that an item may hold */
export function digestOf(...values: unknown[]): string {
	const hash = createHash('sha256');
	for (const value of values) {
		const text = toJson(value);
		hash.update(`${text.length}:${text}`);
	}
	return hash.digest('base64url').slice(0, LENGTH);
}

/** A Code node may output items that contain themselves, or integers without a JSON form. */
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
 * Computes the digests of a post.
 *
 * @param body the request, undefined when the fields could not be read
 */
export type Fingerprint = (itemIndex: number, body: object | undefined) => PostIdentity;

/**
 * A post stays the same when the node is edited, or when an expression gives another value at a retry. So
 * its `source` is the input item alone. A tool of an agent has no input item: its source is the arguments
 * of the agent, the node's fields as they are stored, and the run of the agent.
 */
export function fingerprinter(context: IExecuteFunctions, inTool: boolean): Fingerprint {
	const { parameters } = context.getNode();
	const fields = digestOf(postParameters.map((name) => parameters[name] ?? null));
	const items = context.getInputData();
	const shared = inTool ? [fields, agentRun(context)] : [];
	return (itemIndex, body) => {
		const input = items[itemIndex]?.json ?? {};
		// n8n adds an identifier to each call of an agent.
		const given = inTool ? { ...input, toolCallId: undefined } : input;
		return {
			itemIndex,
			source: digestOf(...shared, given),
			fields,
			request: body ? digestOf(body) : '',
		};
	};
}

/** The node before the agent, and its run. In a loop around the agent, each run makes posts of its own. */
function agentRun(context: IExecuteFunctions): unknown {
	try {
		const { $prevNode } = context.getWorkflowDataProxy(0);
		const { name, runIndex } = $prevNode as { name?: string; runIndex?: number };
		return [name, runIndex];
	} catch {
		return [];
	}
}
