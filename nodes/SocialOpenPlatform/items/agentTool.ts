import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { Failed } from '../platform/outcome';
import { invalid, labelsOf } from './parameters';

/** Matches an expression that reads the input item. */
const READS_ITEM = /^=.*\$(?:json|input|binary|data|items?|thisItem|tool)\b/s;

const USE_NODE =
	"reads the item or its 'query', which an agent can change; use for example {{ $('Node').item.json.account }}, and in a loop first() instead of item";

/**
 * The failure of a tool with fields whose expressions read the input item. Agents of version 3.1
 * merge their arguments over this item, so an agent could choose the value of such a field. n8n reads
 * `$fromAI('text')` from `query.text` of the item first, so that it could differ from the argument
 * that a person has approved.
 *
 * @param properties the fields of the node
 */
export function itemRefusal(
	context: IExecuteFunctions,
	properties: INodeProperties[],
): Failed | undefined {
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
