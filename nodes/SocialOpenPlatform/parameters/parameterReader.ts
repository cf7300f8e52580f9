import type { IExecuteFunctions } from 'n8n-workflow';
import { namedValue, type NamedValue } from './namedValue';

/** Reads a parameter of the node for an item. */
export type ParameterReader = (name: string, itemIndex: number, fallback: unknown) => unknown;

/** Whether a parameter, as it is stored, is an expression or holds one. */
export function holdsExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	if (typeof value !== 'object' || value === null) return false;
	return Object.values(value).some(holdsExpression);
}

/**
 * Asks n8n once for what is the same for every item, and for each item where an expression stands that
 * does more than name a value of the item.
 *
 * @param isTool whether an AI agent calls the node: then `$json` is not the data of the call
 */
export function parameterReader(context: IExecuteFunctions, isTool: boolean): ParameterReader {
	const { parameters } = context.getNode();
	const items = context.getInputData();
	const fixed = new Map<string, unknown>();
	const varying = new Map<string, NamedValue | undefined>(
		Object.entries(parameters)
			.filter(([, raw]) => holdsExpression(raw))
			.map(([name, raw]) => [name, isTool ? undefined : namedValue(raw)]),
	);
	return (name, itemIndex, fallback) => {
		if (fixed.has(name)) return fixed.get(name);
		const found = varying.get(name)?.(items[itemIndex]?.json ?? {});
		if (found !== undefined) return found;
		const value = context.getNodeParameter(name, itemIndex, fallback) as unknown;
		if (!varying.has(name)) fixed.set(name, value);
		return value;
	};
}
