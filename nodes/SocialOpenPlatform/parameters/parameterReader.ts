import type { IExecuteFunctions } from 'n8n-workflow';
import { namedValue, type NamedValue } from './namedValue';
import { isLocator, withoutLocator } from './values';

export type ParameterReader = (name: string, itemIndex: number, fallback: unknown) => unknown;

/** Whether a parameter is an expression or contains one. */
export function holdsExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	if (typeof value !== 'object' || value === null) return false;
	return Object.values(value).some(holdsExpression);
}

/**
 * Creates a reader for the parameters of a run. It reads a parameter without expressions from n8n
 * only once. It finds a value that an expression only names in the item itself. A resource locator
 * becomes its value.
 *
 * @param isTool whether an AI agent calls the node. In this case, `$json` is not the data of the
 * call.
 */
export function parameterReader(context: IExecuteFunctions, isTool: boolean): ParameterReader {
	const { parameters } = context.getNode();
	const items = context.getInputData();
	const fixed = new Map<string, unknown>();
	const varying = new Map<string, NamedValue | undefined>(
		Object.entries(parameters)
			.filter(([, raw]) => holdsExpression(raw))
			.map(([name, raw]) => [name, isTool ? undefined : namedValue(withoutLocator(raw))]),
	);
	return (name, itemIndex, fallback) => {
		if (fixed.has(name)) return fixed.get(name);
		const found = varying.get(name)?.(items[itemIndex]?.json ?? {});
		if (found !== undefined) return found;
		const given = context.getNodeParameter(name, itemIndex, fallback) as unknown;
		// The data of an item may look like a resource locator without being one.
		const value = isLocator(parameters[name]) ? withoutLocator(given) : given;
		if (!varying.has(name)) fixed.set(name, value);
		return value;
	};
}
