import type { INodeProperties } from 'n8n-workflow';
import type { z } from 'zod/v4';
import type { Issue } from '../platform/issue';
import { isNothing, isObject, quote, readJson } from './values';

/** The end of a warning about a value that is left out of the request. */
export const NOT_SENT = 'it is not sent';

/** The labels of fields and of their options, by parameter name. */
export function labelsOf(fields: INodeProperties[]): Record<string, string> {
	const options = fields.flatMap((field) => field.options ?? []) as INodeProperties[];
	return Object.fromEntries([...fields, ...options].map((one) => [one.name, one.displayName]));
}

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
	 * Checks each field of an object against its schema, and reports at most one issue for each. A
	 * field without a value is left out.
	 *
	 * @param rowNames how messages name the entries of lists, by default by their numbers
	 * @returns the fields that are valid
	 */
	parse<Shape extends z.ZodRawShape>(
		{ shape }: z.ZodObject<Shape>,
		input: object,
		rowNames: Partial<Record<string, string[]>> = {},
	): Partial<z.output<z.ZodObject<Shape>>> {
		const valid: Record<string, unknown> = {};
		for (const [name, schema] of Object.entries<z.ZodType>(shape as never)) {
			const value: unknown = input[name as keyof typeof input];
			const given = isNothing(value) ? undefined : value;
			const { data, error } = schema.safeParse(given, { reportInput: true });
			if (error) this.problem(name as Field, issueOf(error.issues, rowNames[name]));
			else if (data !== undefined) valid[name] = data;
		}
		return valid as never;
	}

	/** Checks a collection of options. An invalid option has its default value. */
	parseOptions<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, given: unknown) {
		const isSet = typeof given === 'object' && !Array.isArray(given);
		if (!isSet) this.problem('options' as Field, 'is not an object with options');
		return schema.parse(this.parse(schema, (isSet && given) || {}));
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
		const json = readJson(value);
		if ('issue' in json) this.problem(field, json.issue);
		if ('issue' in json || isNothing(json.value)) return {};
		for (const name of json.missing) {
			this.warning(field, `contains '${name}', which has no value; ${NOT_SENT}`);
		}
		const { value: fields } = json;
		if (!isObject(fields)) {
			this.problem(field, 'is not a JSON object like {"key": "value"}');
			return {};
		}
		for (const name of Object.keys(fields).filter((key) => taken.includes(key))) {
			this.problem(field, `contains '${name}', which has its own field; use that field instead`);
		}
		return fields;
	}
}

/** Describes the first issue of a field. In a list, it names the row and counts the other rows. */
function issueOf(issues: z.core.$ZodIssue[], names: string[] = []): string {
	// An issue of the list itself is more important than those of its rows.
	const first = issues.find((issue) => issue.path.length === 0) ?? issues[0];
	const { path, message, input } = first!;
	const [row] = path;
	if (typeof row !== 'number') return message;
	const quoted = path.length === 1 ? quote(input) : 'an object';
	const others = new Set(issues.map((issue) => issue.path[0])).size - 1;
	const more = others > 0 ? `; ${others} more of its rows cannot be sent` : '';
	return `${names[row] ?? `row ${row + 1}`} ${quoted && `(${quoted}) `}${message}${more}`;
}
