import { z } from 'zod/v4';
import type { Remark } from '../parameterError';
import { labels, type LabelledField } from './labels';
import { readPublishTime, toPostDate } from './publishTime';
import { isNothing, quote, toJson } from '../values';

const freeFields = z
	.record(z.string(), z.unknown(), 'is not a JSON object like {"key": "value"}')
	.optional();

/** One reading of one item's parameters. It throws nothing and gathers what it finds. */
export class PostReader {
	readonly problems: Remark[] = [];

	readonly warnings: Remark[] = [];

	problem(field: LabelledField, message: string): void {
		this.problems.push({ field: labels[field], message });
	}

	warning(field: LabelledField, message: string): void {
		this.warnings.push({ field: labels[field], message });
	}

	/** The value as its schema has it, or undefined with the problems noted. */
	take<T>(field: LabelledField, schema: z.ZodType<T>, value: unknown): T | undefined {
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
	takeList<T>(
		field: LabelledField,
		schema: z.ZodType<T[] | undefined>,
		value: unknown,
	): T[] | undefined {
		return this.take(field, schema, Array.isArray(value) && value.length === 0 ? undefined : value);
	}

	/** What was understood, as it goes out; a time that has passed is a problem. */
	takeTime(value: unknown, timezone: string, now: Date): string | undefined {
		const time = readPublishTime(value, timezone);
		if (!time) {
			const what = isNothing(value) ? 'is empty' : `(${quote(value)}) is not a date and time`;
			this.problem('post_date', `${what}; write it like 2026-12-31T18:00:00, or publish Now`);
			return undefined;
		}
		const date = toPostDate(time.at);
		if (time.note) this.warning('post_date', time.note);
		if (time.at.toMillis() < now.getTime()) {
			this.problem(
				'post_date',
				`is in the past: it was understood as ${date}; the workflow's time zone is ${timezone}`,
			);
		}
		return date;
	}

	/** Fields the platform may add tomorrow: any name but those that have a field of their own. */
	takeFree(field: LabelledField, value: unknown, taken: string[]): Record<string, unknown> {
		const fields = this.take(field, freeFields, toJson(value)) ?? {};
		for (const name of Object.keys(fields).filter((key) => taken.includes(key))) {
			this.problem(field, `holds '${name}', which has a field of its own; fill in that one`);
		}
		return fields;
	}
}
