import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { labelsOf } from './issues';
import { invalid, type Failed } from '../platform/outcome';

/** Matches an expression that reads the input item. */
const READS_ITEM = /^=.*\$(?:json|input|binary|data|items?|thisItem|tool)\b/s;

const USE_NODE =
	"reads the item or its 'query', which an agent can change; use for example {{ $('Node').item.json.account }}, and in a loop first() instead of item";

/**
 * Whether an AI agent calls the node. For this use, n8n gives the node another type, which ends in
 * 'Tool'.
 */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Whether the first failed item ends the run. Otherwise, failed items are part of the output. Agents
 * before version 3 call their tools through n8n's context for sub-nodes, and pass an empty text to
 * the model in place of an error. With *Retry on Fail* the node still throws, because n8n retries
 * only after an error.
 */
export function stopsAtFailure(context: IExecuteFunctions): boolean {
	const isErrorLost =
		isTool(context) && 'getNextRunIndex' in context && !context.getNode().retryOnFail;
	return !context.continueOnFail() && !isErrorLost;
}

/**
 * The failure of a tool with fields whose expressions read the input item. Agents of version 3.1
 * merge their arguments over this item, so an agent could choose the value of such a field. n8n reads
 * `$fromAI('text')` from `query.text` of the item first, so that it could differ from the argument that
 * a person has approved.
 *
 * @param properties the fields of the node
 */
export function itemRefusal(
	context: IExecuteFunctions,
	properties: INodeProperties[],
): Failed | undefined {
	if (!isTool(context)) return undefined;
	const labels = labelsOf(properties);
	const query = Object(context.getInputData()[0]?.json.query) as object;
	const readsItem = (text: string) =>
		READS_ITEM.test(text) || text.split(/["'`]/).some((part) => Object.hasOwn(query, part));
	const fieldsIn = (value: unknown, field?: string): string[] => {
		if (typeof value === 'string') return field && readsItem(value) ? [field] : [];
		const entries = Object.entries(Object(value) as object);
		return entries.flatMap(([name, one]) => fieldsIn(one, labels[name] ?? field));
	};
	const fields = [...new Set(fieldsIn(context.getNode().parameters))];
	if (fields.length === 0) return undefined;
	return invalid(
		undefined,
		fields.map((field) => ({ field, message: USE_NODE })),
	);
}
