import type { z } from 'zod/v4';
import type { Issue } from '../protocol/issue';
import { toJsonValue } from '../protocol/json';
import { isNothing, isObject, quote, toFlag, toJson, toNumber } from './values';

/** The end of a warning about a value that is left out of the request. */
export const NOT_SENT = 'it is not sent';

/** Maximum number of issues that are reported for one list. */
const MAX_ROWS = 10;

/** Collects the issues of one item's parameters. Its methods do not throw. */
export class Issues<Field extends string> {
	readonly problems: Issue[] = [];

	/** Issues that do not prevent sending. */
	readonly warnings: Issue[] = [];

	/** @param labels the labels of the fields in the panel */
	constructor(private readonly labels: Readonly<Record<Field, string>>) {}

	problem(field: Field, message: string): void {
		this.problems.push({ field: this.labels[field], message });
	}

	warning(field: Field, message: string): void {
		this.warnings.push({ field: this.labels[field], message });
	}

	/**
	 * Checks an object against its schema. An issue is reported for the innermost field of its path
	 * that has a label.
	 *
	 * @param rowNames how messages name the entries of lists, by default by their numbers
	 * @returns the fields that are valid
	 */
	parse<T extends object>(
		schema: z.ZodType<T>,
		input: object,
		rowNames: Partial<Record<Field, string[]>> = {},
	): Partial<T> {
		const parsed = schema.safeParse(input);
		if (parsed.success) return parsed.data;
		let valid = input;
		const rows = new Map<Field, number>();
		for (const { path, message } of parsed.error.issues) {
			const depth = path.findLastIndex((name) => Object.hasOwn(this.labels, name));
			const field = path[depth] as Field;
			const list = valueAt(input, path.slice(0, depth + 1));
			const row = path[depth + 1];
			const isRow = typeof row === 'number' && Array.isArray(list);
			const count = (rows.get(field) ?? 0) + 1;
			rows.set(field, count);
			if (count <= MAX_ROWS) {
				const name = isRow && (rowNames[field]?.[row] ?? `row ${row + 1}`);
				this.problem(field, `${name ? rowOf(list[row], name) : ''}${message}`);
			}
			valid = omit(valid, path.slice(0, depth + 1));
		}
		for (const [field, count] of rows) {
			const more = count - MAX_ROWS;
			if (more > 0) this.problem(field, `has ${more} more rows that cannot be sent`);
		}
		return valid;
	}

	/** Checks a collection of options. An expression may return values of options as text. */
	parseOptions<T extends object>(schema: z.ZodType<T>, given: unknown): T {
		const isSet = typeof given === 'object' && !Array.isArray(given);
		if (!isSet) this.problem('options' as Field, 'is not an object with options');
		const set = Object.entries((isSet && given) || {}).filter(([, value]) => !isNothing(value));
		const options = set.map(([name, value]) => [name, toFlag(toNumber(value))] as const);
		return schema.parse(this.parse(schema, Object.fromEntries(options)));
	}

	/**
	 * Reads a JSON object with request fields that this node does not know.
	 *
	 * @param taken names that are refused, because the node has its own fields for them
	 */
	parseOtherFields(
		field: Field,
		value: unknown,
		taken: readonly string[],
	): Record<string, unknown> {
		const json = toJson(value);
		if (isNothing(json)) return {};
		const fields = isObject(json) ? this.toJsonValue(field, json) : json;
		if (fields !== undefined && !isObject(fields)) {
			this.problem(field, 'is not a JSON object like {"key": "value"}');
		}
		if (!isObject(fields)) return {};
		for (const name of Object.keys(fields).filter((key) => taken.includes(key))) {
			this.problem(field, `contains '${name}', which has its own field; use that field instead`);
		}
		return fields;
	}

	/**
	 * Converts a value to JSON data.
	 *
	 * @returns undefined if JSON cannot represent the value
	 */
	toJsonValue(field: Field, given: unknown): unknown {
		const json = toJsonValue(given);
		if ('issue' in json) {
			this.problem(field, json.issue);
			return undefined;
		}
		for (const name of json.missing) {
			this.warning(field, `contains '${name}', which has no value; ${NOT_SENT}`);
		}
		return json.value;
	}
}

/** A copy of an object without the field at the given path. */
function omit(object: object, [name, ...rest]: PropertyKey[]): object {
	const { [name!]: value, ...others } = object as Record<PropertyKey, unknown>;
	return rest.length === 0 ? others : { ...object, [name!]: omit(value as object, rest) };
}

function valueAt(object: object, path: PropertyKey[]): unknown {
	return path.reduce<unknown>(
		(value, name) => (value as Record<PropertyKey, unknown>)[name],
		object,
	);
}

/** The beginning of a message about a row of a list. */
function rowOf(value: unknown, name: string): string {
	const quoted = quote(value);
	return quoted === '' ? `${name} ` : `${name} (${quoted}) `;
}
