import { z } from 'zod/v4';
import type { Remark } from './parameterError';
import { isNothing, quote, toFlag, toJson, toNumber } from './values';

const freeFields = z
	.record(z.string(), z.unknown(), 'is not a JSON object like {"key": "value"}')
	.optional();

/** One reading of one item's parameters. It throws nothing and gathers what it finds. */
export class FieldReader<Field extends string> {
	readonly problems: Remark[] = [];

	/** @param labels what the panel calls the fields */
	constructor(protected readonly labels: Readonly<Record<Field, string>>) {}

	problem(field: Field, message: string): void {
		this.problems.push({ field: this.labels[field], message });
	}

	/** The value as its schema has it, or undefined with the problems noted. */
	take<T>(field: Field, schema: z.ZodType<T>, value: unknown): T | undefined {
		const parsed = schema.safeParse(isNothing(value) ? undefined : value);
		for (const { path, message } of parsed.error?.issues ?? []) {
			const [row] = path;
			const where =
				typeof row === 'number' && Array.isArray(value)
					? `row ${row + 1} (${quote(value[row])}) `
					: '';
			this.problem(field, where + message);
		}
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
		const fields = this.take(field, freeFields, toJson(value)) ?? {};
		for (const name of Object.keys(fields).filter((key) => taken.includes(key))) {
			this.problem(field, `holds '${name}', which has a field of its own; fill in that one`);
		}
		return fields;
	}
}
