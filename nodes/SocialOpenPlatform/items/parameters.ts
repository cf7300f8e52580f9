import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { z } from 'zod/v4';
import { lines, type Failed } from '../platform/outcome';
import { isLocator, isNothing, isObject, quote, readJson, withoutLocator } from './values';

/** An issue of a field, or a warning about it. */
export interface Issue {
	/** The label of the field. */
	field: string;
	/** The rest of the message, which begins with the label. */
	message: string;
}

export type ParameterReader = (name: string, itemIndex: number, fallback: unknown) => unknown;

/** The end of a warning about a value that is left out of the request. */
export const NOT_SENT = 'it is not sent';

/** The expression that n8n creates when a user drags an input field into the panel. */
const INPUT_FIELD = /^=\{\{\s*\$json\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}$/;

/** Maximum number of issues in a summary. */
const MAX_ISSUES = 5;

/** Whether a parameter is an expression or contains one. */
export function holdsExpression(value: unknown) {
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

/** The labels of fields and of their options, by parameter name. */
export function labelsOf(fields: INodeProperties[]): Record<string, string> {
	const options = fields.flatMap((field) => field.options ?? []) as INodeProperties[];
	return Object.fromEntries([...fields, ...options].map((one) => [one.name, one.displayName]));
}

/**
 * Checks a value against a schema. A value that is nothing counts as undefined.
 *
 * @param rowNames the names of the entries of a list in messages, by default their numbers
 * @returns the value, or the message of its first issue
 */
export function check<T>(
	schema: z.ZodType<T>,
	given: unknown,
	rowNames?: string[],
): { value?: T; message?: string } {
	const value = isNothing(given) ? undefined : given;
	const { data, error } = schema.safeParse(value, { reportInput: true });
	return error ? { message: messageOf(error.issues, rowNames) } : { value: data };
}

/** Checks each field of an object against its schema, and reports at most one issue for each. */
export function checkFields<Shape extends z.ZodRawShape>(
	{ shape }: z.ZodObject<Shape>,
	given: object,
	labels: Readonly<Record<string, string>>,
): { values: Partial<z.output<z.ZodObject<Shape>>>; issues: Issue[] } {
	const values: Record<string, unknown> = {};
	const issues: Issue[] = [];
	for (const [name, schema] of Object.entries<z.ZodType>(shape as never)) {
		const { value, message } = check(schema, given[name as keyof typeof given]);
		if (message) issues.push({ field: labels[name] ?? name, message });
		else if (value !== undefined) values[name] = value;
	}
	return { values: values as never, issues };
}

/** Checks a collection of options. An invalid option has its default value. */
export function checkOptions<Shape extends z.ZodRawShape>(
	schema: z.ZodObject<Shape>,
	given: unknown,
	labels: Readonly<Record<string, string>>,
) {
	const isSet = typeof given === 'object' && !Array.isArray(given);
	const { values, issues } = checkFields(schema, (isSet && given) || {}, labels);
	const options = schema.parse(values);
	if (isSet) return { options, issues };
	const message = 'is not an object with options';
	return { options, issues: [{ field: labels.options!, message }] };
}

/**
 * Reads a JSON object with request fields that this node does not know.
 *
 * @param taken names that are refused, because the node has its own fields for them. A name inside
 * `exclusive` begins with `exclusive.`
 */
export function readOtherFields(json: unknown, field: string, taken: readonly string[]) {
	const read = readJson(json);
	const empty: Record<string, unknown> = {};
	const of = (fields: typeof empty, messages: string[], missing: string[] = []) => ({
		fields,
		issues: messages.map((message) => ({ field, message })),
		warnings: missing.map((name) => ({
			field,
			message: `contains '${name}', which has no value; ${NOT_SENT}`,
		})),
	});
	if ('issue' in read) return of(empty, [read.issue]);
	const { value: fields, missing } = read;
	if (isNothing(fields)) return of(empty, []);
	if (!isObject(fields)) return of(empty, ['is not a JSON object like {"key": "value"}']);
	const inside = Object.keys(Object(fields.exclusive) as object).map((name) => `exclusive.${name}`);
	const messages = [...Object.keys(fields), ...inside]
		.filter((name) => taken.includes(name))
		.map((name) => `contains '${name}', which has its own field; use that field instead`);
	return of(fields, messages, missing);
}

/** Describes the first issue of a field. In a list, it names the row and counts the other rows. */
function messageOf(issues: z.core.$ZodIssue[], names: string[] = []) {
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

/** Joins issues into one text. */
export function joinIssues(issues: readonly Issue[]) {
	return issues.map(({ field, message }) => `'${field}' ${message}`).join('; ');
}

/**
 * The failure of an item with issues. It lists all issues at once, and nothing was sent for the
 * item.
 *
 * @param name the name of the item in messages; undefined if it is the only one
 * @param advice a sentence to add
 */
export function invalid(name: string | undefined, issues: Issue[], advice?: string): Failed {
	const text = joinIssues(issues);
	const correct = 'Nothing was sent for this item. Correct the fields named above.';
	return {
		kind: 'invalid',
		failure: {
			message: name ? `${name[0]!.toUpperCase()}${name.slice(1)}: ${text}` : text,
			description: [correct, advice].filter(Boolean).join(' '),
			facts: { problems: issues },
		},
	};
}

interface ShownIssue {
	kind: 'Problem' | 'Warning';
	/** The name of the item in messages; undefined if it is the only one. */
	name?: string;
	issue: Issue;
}

/** Describes the first issues of the items of a run, one per line. */
export function describeIssues(shown: ShownIssue[]) {
	const described = shown
		.slice(0, MAX_ISSUES)
		.map(({ kind, name, issue }) => `${kind}${name ? ` in ${name}` : ''}: ${joinIssues([issue])}.`);
	const more = shown.length - MAX_ISSUES;
	return lines(...described, more > 0 && `${more} more are not shown here.`);
}
