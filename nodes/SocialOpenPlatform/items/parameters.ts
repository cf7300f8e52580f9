import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { type Issue, joinIssues, lines } from '../platform/outcome';
import {
	boundedInteger,
	boundedNumber,
	check,
	holdsExpression,
	isLocator,
	isNothing,
	isObject,
	MAX_TEXT,
	once,
	readJson,
	tooLong,
	withoutLocator,
} from './values';

export type ParameterReader = (name: string, itemIndex: number, fallback: unknown) => unknown;

/** Matches the expression that n8n creates when a user drags an input field into a parameter. */
const INPUT_FIELD = /^=\{\{\s*\$json\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}$/;

/** Maximum number of issues in a summary. */
const MAX_ISSUES = 5;

/**
 * Reads a parameter without n8n's expression sandbox, which takes over a third of the CPU time per
 * post. Its expressions may refer only to strings, numbers or booleans in the input item.
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

/**
 * Creates a reader for a run's parameters. A resource locator is read as its value.
 *
 * @param labels field labels by parameter name, with which errors in expressions are reported
 */
export function parameterReader(
	context: IExecuteFunctions,
	labels: Readonly<Record<string, string>>,
): ParameterReader {
	const { parameters } = context.getNode();
	const items = context.getInputData();
	const evaluate: ParameterReader = (...given) => {
		try {
			return context.getNodeParameter(...given);
		} catch (error) {
			const { message } = error as Error;
			const field = labels[given[0]] ?? given[0];
			throw Object.assign(error as Error, {
				message: `'${field}' has an expression with an error: ${message}`,
			});
		}
	};
	return (name, itemIndex, fallback) => {
		const stored = parameters[name];
		const raw = withoutLocator(stored);
		if (!holdsExpression(raw)) return raw ?? fallback;
		const named = readInputFields(raw, items[itemIndex]?.json);
		if (named !== undefined) return named;
		const value = evaluate(name, itemIndex, fallback);
		// Only the stored parameter is checked, because item data may look like a resource locator.
		return isLocator(stored) ? withoutLocator(value) : value;
	};
}

/** Returns the labels of fields and their options, by parameter name. */
export function labelsOf(fields: INodeProperties[]): Record<string, string> {
	const options = fields.flatMap((field) => field.options ?? []) as INodeProperties[];
	return Object.fromEntries([...fields, ...options].map((one) => [one.name, one.displayName]));
}

/** Checks each field of an object against its schema, and reports at most one issue per field. */
export function checkFields<Shape extends z.ZodRawShape>(
	{ shape }: z.ZodObject<Shape>,
	given: object,
	labels: Readonly<Record<string, string>>,
): { values: Partial<z.output<z.ZodObject<Shape>>>; issues: Issue[] } {
	const values: Record<string, unknown> = {};
	const issues: Issue[] = [];
	for (const [name, schema] of Object.entries<z.ZodType>(shape as never)) {
		const { value, issue } = check(schema, given[name as keyof typeof given]);
		if (issue) issues.push({ field: labels[name] ?? name, message: issue });
		else if (value !== undefined) values[name] = value;
	}
	return { values: values as never, issues };
}

/** Checks a collection of options. An invalid option is reported, and its default is used. */
export function checkOptions<Shape extends z.ZodRawShape>(
	schema: z.ZodObject<Shape>,
	given: unknown,
	labels: Readonly<Record<string, string>>,
) {
	const { values, issues } = checkFields(schema, isObject(given) ? given : {}, labels);
	return { options: schema.parse(values), issues };
}

/**
 * Reads a JSON object with request fields for which this node has no parameters.
 *
 * @param taken names that are refused; the name of a field in `exclusive` begins with `exclusive.`
 */
export function readOtherFields(json: unknown, field: string, taken: readonly string[]) {
	const isTooLong = typeof json === 'string' && json.length > MAX_TEXT;
	const { value, issue }: { value?: unknown; issue?: string } = isTooLong
		? { issue: tooLong(MAX_TEXT) }
		: readJson(json);
	const fields = isObject(value) ? value : {};
	const inside = Object.keys(Object(fields.exclusive) as object).map((name) => `exclusive.${name}`);
	const messages = [...Object.keys(fields), ...inside]
		.filter((name) => taken.includes(name))
		.map(
			(name) => `contains '${name}', which cannot be set here; use its own field, if it has one`,
		);
	if (issue) messages.push(issue);
	else if (!isNothing(value) && !isObject(value)) {
		messages.push('is not a JSON object like {"key": "value"}');
	}
	return { fields, issues: messages.map((message): Issue => ({ field, message })) };
}

interface ShownIssue {
	kind: 'Problem' | 'Warning';
	/** The item's name in messages, if there are several items. */
	name?: string;
	issue: Issue;
}

/** Describes a run's first issues, one per line, and counts the others. */
export function describeIssues(shown: ShownIssue[]) {
	const described = shown
		.slice(0, MAX_ISSUES)
		.map(({ kind, name, issue }) => `${kind}${name ? ` in ${name}` : ''}: ${joinIssues([issue])}.`);
	const more = shown.length - MAX_ISSUES;
	return lines(...described, more > 0 && `Not shown here: ${more} more.`);
}

export const DEFAULT_CONCURRENCY = 5;
const DEFAULT_RATE_LIMIT_WAIT_S = 300;

/** Returns the option for a request's timeout, with its default in seconds. */
export const timeoutField = (seconds: number, description: string): INodeProperties => ({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 0.1, maxValue: 3600 },
	default: seconds,
	description,
});

export const rateLimitWaitField: INodeProperties = {
	displayName: 'Wait for Rate Limits (Seconds)',
	name: 'rateLimitWait',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 86_400 },
	default: DEFAULT_RATE_LIMIT_WAIT_S,
	description:
		'Maximum total wait of an item after rate limits, 0 to 86,400; with 0, the item fails immediately. The node resends the item after the time that the platform requests, and the other items wait as well.',
};

/** The schema of the options that limit requests. */
export const requestLimitSchema = once(() =>
	z.object({
		maxConcurrentRequests: boundedInteger('a number of requests', 1, 100).default(
			DEFAULT_CONCURRENCY,
		),
		minimumInterval: boundedNumber('a number of seconds', 0, 3600).default(0),
		rateLimitWait: boundedNumber('a number of seconds', 0, 86_400).default(
			DEFAULT_RATE_LIMIT_WAIT_S,
		),
	}),
);
