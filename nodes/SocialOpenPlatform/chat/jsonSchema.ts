import { isJsonObject } from '../platform/json';

const types: Record<string, (value: unknown) => boolean> = {
	array: Array.isArray,
	boolean: (value) => typeof value === 'boolean',
	integer: Number.isInteger,
	null: (value) => value === null,
	number: (value) => typeof value === 'number',
	object: isJsonObject,
	string: (value) => typeof value === 'string',
};

/**
 * Finds a part of a value that does not match a JSON Schema. It checks `type`, `enum`, `const`,
 * `required`, `properties`, `additionalProperties: false` and `items`. Other keywords always match.
 *
 * @param path names the value in the result
 * @returns what is wrong, as a clause
 */
export function mismatchIn(value: unknown, schema: unknown, path = 'it'): string | undefined {
	if (!isJsonObject(schema)) return undefined;
	const { type = [], required = [], additionalProperties, patternProperties } = schema;
	const kinds = [type].flat() as string[];
	if (kinds.length > 0 && !kinds.some((kind) => types[kind]?.(value) ?? true)) {
		return `${path} is not of type ${kinds.join(' or ')}`;
	}
	const allowed = 'const' in schema ? [schema.const] : schema.enum;
	if (Array.isArray(allowed) && !allowed.some((one) => mayEqual(one, value))) {
		return `${path} has a value that is not allowed`;
	}
	if (Array.isArray(value)) {
		const items = 'prefixItems' in schema ? undefined : schema.items;
		return value.map((item, index) => mismatchIn(item, items, `${path}[${index}]`)).find(Boolean);
	}
	if (!isJsonObject(value)) return undefined;
	const names = Object.keys(value);
	const properties = isJsonObject(schema.properties) ? schema.properties : {};
	const missing = ([required].flat() as string[]).find((name) => !Object.hasOwn(value, name));
	if (missing !== undefined) return `${path} has no field '${missing}'`;
	const isClosed = additionalProperties === false && !patternProperties;
	const extra = isClosed && names.find((name) => !Object.hasOwn(properties, name));
	if (extra) return `${path} has the additional field '${extra}'`;
	return names
		.map((name) => mismatchIn(value[name], properties[name], `${path}.${name}`))
		.find(Boolean);
}

/** Objects and numbers beyond 2^53 are not compared. */
function mayEqual(one: unknown, other: unknown): boolean {
	const isLarge = typeof other === 'number' && Math.abs(other) > Number.MAX_SAFE_INTEGER;
	return one === other || Object(one) === one || isLarge;
}
