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

/** The expression that n8n creates when a user drags an input field into the panel. */
const INPUT_FIELD = /^=\{\{\s*\$json\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}$/;

/** Maximum number of issues in a summary. */
const MAX_ISSUES = 5;

/**
 * Reads a parameter whose expressions only name texts, numbers or booleans of the input item. This
 * saves time: n8n would set up a sandbox for each expression, which takes more than a third of the
 * CPU time of a post.
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
 * Creates a reader for the parameters of a run. A resource locator becomes its value.
 *
 * @param labels the labels by parameter name; n8n's error names one if an expression cannot be
 * evaluated
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
		// The data of an item may look like a resource locator without being one.
		return isLocator(stored) ? withoutLocator(value) : value;
	};
}

/** The labels of fields and of their options, by parameter name. */
export function labelsOf(fields: INodeProperties[]): Record<string, string> {
	const options = fields.flatMap((field) => field.options ?? []) as INodeProperties[];
	return Object.fromEntries([...fields, ...options].map((one) => [one.name, one.displayName]));
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
		const { value, issue } = check(schema, given[name as keyof typeof given]);
		if (issue) issues.push({ field: labels[name] ?? name, message: issue });
		else if (value !== undefined) values[name] = value;
	}
	return { values: values as never, issues };
}

/** Checks a collection of options. An invalid option is an issue and gets its default value. */
export function checkOptions<Shape extends z.ZodRawShape>(
	schema: z.ZodObject<Shape>,
	given: unknown,
	labels: Readonly<Record<string, string>>,
) {
	const { values, issues } = checkFields(schema, isObject(given) ? given : {}, labels);
	return { options: schema.parse(values), issues };
}

/**
 * Reads a JSON object with request fields that this node does not know.
 *
 * @param taken names that are refused, because the node itself sets or reads them. The name of a
 * field inside `exclusive` begins with `exclusive.`
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
	/** The name of the item in messages; undefined if it is the only one. */
	name?: string;
	issue: Issue;
}

/** Describes the first issues of the items of a run, one per line, and counts the others. */
export function describeIssues(shown: ShownIssue[]) {
	const described = shown
		.slice(0, MAX_ISSUES)
		.map(({ kind, name, issue }) => `${kind}${name ? ` in ${name}` : ''}: ${joinIssues([issue])}.`);
	const more = shown.length - MAX_ISSUES;
	return lines(...described, more > 0 && `Not shown here: ${more} more.`);
}

const DEFAULT_CONCURRENCY = 5;
const DEFAULT_RATE_LIMIT_WAIT_S = 300;

/** The option for the timeout of a request, with its default in seconds. */
export const timeoutField = (seconds: number, description: string): INodeProperties => ({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 0.1, maxValue: 3600 },
	default: seconds,
	description,
});

/**
 * The options for concurrency, interval, and waits for rate limits. The chat operations have only
 * the last one.
 */
export const requestLimitFields = {
	maxConcurrentRequests: {
		displayName: 'Max Concurrent Requests',
		name: 'maxConcurrentRequests',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
		default: DEFAULT_CONCURRENCY,
		description:
			'How many requests are sent to the platform at the same time, 1 to 100; <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/operations.md#many-posts">a distant platform needs more</a>. The output keeps the order of the input, and the first item\'s value applies to all items.',
	},
	minimumInterval: {
		displayName: 'Minimum Interval (Seconds)',
		name: 'minimumInterval',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 3600 },
		default: 0,
		description:
			"Minimum time between the starts of two requests, 0 to 3600; 0.5 allows two requests per second. It applies within one run of this node (each loop iteration is a new run), and the first item's value applies to all items.",
	},
	rateLimitWait: {
		displayName: 'Wait for Rate Limits (Seconds)',
		name: 'rateLimitWait',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86_400 },
		default: DEFAULT_RATE_LIMIT_WAIT_S,
		description:
			'Maximum total wait of an item after rate limits, 0 to 86,400; with 0, the item fails immediately. The node resends the item after the time that the platform requests, and the other items wait as well.',
	},
} satisfies Record<string, INodeProperties>;

/** The schema of {@link requestLimitFields}. */
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
