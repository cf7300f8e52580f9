/** The expression that n8n creates when a user drags an input field into the panel. */
const NAMES_A_VALUE =
	/^=\{\{\s*\$json((?:\.[A-Za-z_]\w*|\['[^'\\}]+'\]|\["[^"\\}]+"\]|\[\d+\])+)\s*\}\}$/;
const PATH_STEP = /\.(\w+)|\['([^']+)'\]|\["([^"]+)"\]|\[(\d+)\]/g;

/** Names that n8n treats specially in expressions. */
const SPECIAL = /constructor|prototype|mainModule|binding|__|_load/;

/**
 * Finds the value of a parameter in the data of an item. It returns undefined if n8n has to
 * evaluate the expression.
 */
export type NamedValue = (json: object) => unknown;

const isPlain = (value: object) =>
	Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;

const isScalar = (value: unknown) => /^(string|number|boolean)$/.test(typeof value);

/**
 * Whether a value is plain JSON data. n8n converts all other values. The check is not recursive,
 * because items may be circular.
 */
function isData(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return isScalar(value);
	const objects = new Set<object>([value]);
	for (const object of objects) {
		if (!isPlain(object)) return false;
		for (const part of Object.values(object) as unknown[]) {
			if (typeof part === 'object' && part !== null) objects.add(part);
			else if (part !== null && !isScalar(part)) return false;
		}
	}
	return true;
}

function follow(path: string[], json: object): unknown {
	let value: unknown = json;
	for (const step of path) {
		if (typeof value !== 'object' || value === null || !isPlain(value)) return undefined;
		if (!Object.hasOwn(value, step)) return undefined;
		value = (value as Record<string, unknown>)[step];
	}
	return isData(value) ? value : undefined;
}

/**
 * Returns a function that reads a parameter without n8n, if its expressions only name values of the
 * input item. To evaluate an expression, n8n sets up a sandbox, which takes more CPU time than the
 * rest of a post.
 *
 * @param raw the stored parameter, with its expressions
 * @returns undefined if an expression does anything else
 */
export function namedValue(raw: unknown): NamedValue | undefined {
	if (typeof raw === 'string') {
		if (!raw.startsWith('=')) return () => raw;
		const path = NAMES_A_VALUE.exec(raw)?.[1];
		if (path === undefined || SPECIAL.test(path)) return undefined;
		const steps = [...path.matchAll(PATH_STEP)].map((step) => step.slice(1).find(Boolean) ?? '');
		return (json) => follow(steps, json);
	}
	if (!Array.isArray(raw)) return undefined;
	const rows = raw.map(namedValue);
	if (!rows.every((row) => row !== undefined)) return undefined;
	return (json) => {
		const values = rows.map((row) => row(json));
		return values.includes(undefined) ? undefined : values;
	};
}
