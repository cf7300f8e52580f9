import type { IExecuteFunctions } from 'n8n-workflow';
import { isLocator, isObject, withoutLocator } from './values';

export type ParameterReader = (name: string, itemIndex: number, fallback: unknown) => unknown;

/** The expression that n8n creates when a user drags an input field into the panel. */
const INPUT_FIELD = /^=\{\{\s*\$json\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}$/;

/** Whether a parameter is an expression or contains one. */
export function holdsExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	if (typeof value !== 'object' || value === null) return false;
	return Object.values(value).some(holdsExpression);
}

/**
 * Reads a parameter whose expressions only name texts, numbers or booleans of the input item. n8n
 * would set up a sandbox for each expression, which takes more than a third of the CPU time of a
 * post.
 *
 * @param raw the stored parameter, with its expressions
 * @returns undefined if n8n has to evaluate the parameter
 */
function readInputFields(raw: unknown, json: unknown): unknown {
	if (Array.isArray(raw)) {
		const rows = raw.map((row) => readInputFields(row, json));
		return rows.includes(undefined) ? undefined : rows;
	}
	if (typeof raw !== 'string') return undefined;
	if (!raw.startsWith('=')) return raw;
	const path = INPUT_FIELD.exec(raw)?.[1]?.split('.') ?? [];
	const follow = (value: unknown, name: string) =>
		isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
	const value = path.reduce(follow, json);
	return typeof value === 'object' ? undefined : value;
}

/** Creates a reader for the parameters of a run. A resource locator becomes its value. */
export function parameterReader(context: IExecuteFunctions): ParameterReader {
	const { parameters } = context.getNode();
	const items = context.getInputData();
	return (name, itemIndex, fallback) => {
		const stored = parameters[name];
		const raw = withoutLocator(stored);
		if (!holdsExpression(raw)) return raw ?? fallback;
		const named = readInputFields(raw, items[itemIndex]?.json);
		if (named !== undefined) return named;
		const value = context.getNodeParameter(name, itemIndex, fallback) as unknown;
		// The data of an item may look like a resource locator without being one.
		return isLocator(stored) ? withoutLocator(value) : value;
	};
}
