import { z } from 'zod/v4';
import { toJsonValue } from '../protocol/json';
import type { Remark } from './parameterError';
import { isNothing, quote, toFlag, toJson, toNumber } from './values';

const freeFields = z
	.record(z.string(), z.unknown(), 'is not a JSON object like {"key": "value"}')
	.optional();

/** Of one field; a message about each of thousands of rows helps nobody. */
const MAX_ISSUES = 10;

/** One reading of one item's parameters. It throws nothing and gathers what it finds. */
export class FieldReader<Field extends string> {
	readonly problems: Remark[] = [];
	/** What is worth knowing, but stops nothing. */
	readonly warnings: Remark[] = [];

	/** @param labels what the panel calls the fields */
	constructor(protected readonly labels: Readonly<Record<Field, string>>) {}

	problem(field: Field, message: string): void {
		this.problems.push({ field: this.labels[field], message });
	}

	warning(field: Field, message: string): void {
		this.warnings.push({ field: this.labels[field], message });
	}

	/** The value as its schema has it, or undefined with the problems noted. */
	take<T>(field: Field, schema: z.ZodType<T>, value: unknown): T | undefined {
		const parsed = schema.safeParse(isNothing(value) ? undefined : value);
		const issues = parsed.error?.issues ?? [];
		for (const { path, message } of issues.slice(0, MAX_ISSUES)) {
			const [row] = path;
			const isRow = typeof row === 'number' && Array.isArray(value);
			this.problem(field, (isRow ? `${rowOf(value, row)} ` : '') + message);
		}
		const more = issues.length - MAX_ISSUES;
		if (more > 0) this.problem(field, `has ${more} more rows that cannot be sent`);
		return parsed.data;
	}

	/** A list; an empty one is not set. */
	takeList<T>(field: Field, schema: z.ZodType<T[] | undefined>, value: unknown): T[] | undefined {
		return this.take(field, schema, Array.isArray(value) && value.length === 0 ? undefined : value);
	}

	/** A collection of options, as expressions may give them; the problems of each under its label. */
	takeOptions<T>(schema: z.ZodType<T>, given: unknown): T | undefined {
		const isSet = typeof given === 'object' && !Array.isArray(given);
		if (!isSet) this.problem('options' as Field, 'is not a set of options');
		const set = Object.entries((isSet && given) || {}).filter(([, value]) => !isNothing(value));
		const parsed = schema.safeParse(
			Object.fromEntries(set.map(([name, value]) => [name, toFlag(toNumber(value))])),
		);
		for (const { path, message } of parsed.error?.issues ?? []) {
			this.problem(path[0] as Field, message);
		}
		return parsed.data;
	}

	/** Fields the platform may add tomorrow: any name but those that have a field of their own. */
	takeFree(field: Field, value: unknown, taken: readonly string[]): Record<string, unknown> {
		const read = this.take(field, freeFields, toJson(value));
		const fields = (read && (this.takeJson(field, read) as typeof read)) ?? {};
		for (const name of Object.keys(fields).filter((key) => taken.includes(key))) {
			this.problem(field, `holds '${name}', which has a field of its own; fill in that one`);
		}
		return fields;
	}

	/** Data as JSON holds it, or undefined with the problem noted. */
	takeJson(field: Field, given: unknown): unknown {
		const json = toJsonValue(given);
		if ('issue' in json) {
			this.problem(field, json.issue);
			return undefined;
		}
		for (const name of json.missing) {
			this.warning(field, `holds '${name}', which has no value; ${NOT_SENT}`);
		}
		return json.value;
	}
}

/** How a warning ends about what is left out. */
export const NOT_SENT = 'it is not sent';

/** A row of a list as messages name it. */
function rowOf(list: unknown[], row: number): string {
	const quoted = quote(list[row]);
	return quoted === '' ? `row ${row + 1}` : `row ${row + 1} (${quoted})`;
}
