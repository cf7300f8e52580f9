import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { boundedNumber, paceFields, paceSchema } from '../../parameters/pace';
import { toJson, toText } from '../../parameters/values';
import type { Issue } from '../../protocol/issue';

const showOnlyForCreate = { show: { resource: ['post'], operation: ['create'] } };

const DEFAULT_TIMEOUT_S = 60;
const DEFAULT_HISTORY = 10_000;

/** The field for the scope, in Create and in Forget Keys. */
export const keyScope: INodeProperties = {
	displayName: 'Scope',
	name: 'keyScope',
	type: 'options',
	options: [
		{
			name: 'Node',
			value: 'node',
			description: 'This node remembers its keys for itself. A copy of the node begins with none.',
		},
		{
			name: 'Workflow',
			value: 'workflow',
			description:
				'Nodes of the workflow with this scope skip what any of them has posted. Not for a workflow whose Remove Duplicates nodes have this scope too: they use the same list.',
		},
	],
	default: 'node',
	description:
		'Which nodes share the keys: what one of them has posted, all of them skip. A copy of the workflow begins with none.',
};

const fields: INodeProperties[] = [
	{
		displayName: 'Include Full Response',
		name: 'fullEnvelope',
		type: 'boolean',
		default: false,
		description:
			"Whether to output the platform's whole answer (requestId, success, message, code, data) instead of the fields of its data alone",
	},
	paceFields.maxConcurrentRequests,
	paceFields.minimumInterval,
	{
		displayName: 'Once Per Key',
		name: 'oncePerKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.slug }}',
		builderHint: {
			propertyHint:
				"Set it to the ID of what the post is about whenever the workflow's trigger may fire twice for the same thing.",
		},
		description:
			"Posts an item only once ever, by what tells it from others, such as an article's ID. If its key was posted before, it is skipped and says so; without a key it is refused. A post that certainly did not go out frees its key, as Forget Keys does.",
	},
	{
		displayName: 'Once Per Key: History Size',
		name: 'keyHistory',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100_000, numberPrecision: 0 },
		default: DEFAULT_HISTORY,
		description:
			'How many keys are remembered at least; never fewer than 10,000. The oldest is forgotten first, and its item could be posted again. n8n reads and writes the whole list with each post, so a longer one takes more time.',
	},
	{
		...keyScope,
		displayName: 'Once Per Key: Scope',
	},
	{
		displayName: 'Resend Edited Posts',
		name: 'resendEdited',
		type: 'boolean',
		default: false,
		description:
			"Whether a retry sends a post again when you have edited the node's fields since it was accepted, or since its outcome became unknown. The earlier version stays published.",
	},
	{
		displayName: 'Resend If Outcome Unknown',
		name: 'resendUnknown',
		type: 'boolean',
		default: false,
		description:
			'Whether retries resend a post whose outcome is unknown; with Once Per Key, later executions too. The post may then be published twice.',
	},
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 0.1, maxValue: 3600 },
		default: DEFAULT_TIMEOUT_S,
		description:
			'How long to wait for the answer, 0.1 to 3600. Without one it is unknown whether the post went out: the item ends in an error, and a retry of the execution does not send it unless Resend If Outcome Unknown is on.',
	},
	paceFields.rateLimitWait,
];

/** The options of Create, as the panel shows them. */
export const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	description:
		'How posts are sent, how many at a time, and what comes out. What you do not add keeps its default.',
	displayOptions: showOnlyForCreate,
	options: fields,
};

/** The labels of the options in the panel, by their names. */
export const optionLabels = new Map(fields.map(({ name, displayName }) => [name, displayName]));

/** Which nodes share their keys. */
export const keyScopes = z.enum(['node', 'workflow'], "is neither 'node' nor 'workflow'");

/**
 * A key. A number is the same key as the text of its digits.
 *
 * @param empty the message of an empty key
 */
export const keyText = (empty: string) =>
	z.preprocess(
		toText,
		z
			.string({
				error: ({ input }) =>
					typeof input === 'number'
						? 'is a number that has lost some of its digits; give it as text'
						: 'is neither text nor a number',
			})
			.refine((key) => key.trim() !== '', empty),
	);

const flag = z.boolean('is neither true nor false');

const NO_KEY = 'is empty for this item, so nothing can tell whether it was posted before';

/** Checks the options of an item and fills in their defaults. */
export const optionsSchema = z.object({
	...paceSchema.shape,
	fullEnvelope: flag.default(false),
	oncePerKey: keyText(NO_KEY).optional(),
	keyHistory: boundedNumber('keys', 1, 100_000)
		.int('is not a whole number')
		.default(DEFAULT_HISTORY),
	keyScope: keyScopes.default('node'),
	resendEdited: flag.default(false),
	resendUnknown: flag.default(false),
	timeout: boundedNumber('seconds', 0.1, 3600).default(DEFAULT_TIMEOUT_S),
});
export type CreateOptions = z.infer<typeof optionsSchema>;

/** The values of options that were not added. */
export const defaultOptions: CreateOptions = optionsSchema.parse({});

/** An item's options and their issues. An invalid option has its default. */
export interface OptionsReading {
	options: CreateOptions;
	problems: Issue[];
}

function readOptions(given: unknown): OptionsReading {
	const set = toJson(given ?? {});
	if (typeof set !== 'object' || set === null || Array.isArray(set)) {
		const problems = [{ field: 'Options', message: 'is not a set of options' }];
		return { options: defaultOptions, problems };
	}
	// An option that was added needs a key, even if its expression gives nothing for this item.
	const chosen = 'oncePerKey' in set ? { ...set, oncePerKey: set.oncePerKey ?? '' } : { ...set };
	const parsed = optionsSchema.safeParse(chosen);
	if (parsed.success) return { options: parsed.data, problems: [] };
	const { issues } = parsed.error;
	const wrong = new Set(issues.map(({ path }) => path[0]));
	const valid = Object.entries(chosen).filter(([name]) => !wrong.has(name));
	return {
		options: optionsSchema.parse(Object.fromEntries(valid)),
		problems: issues.map(({ path, message }) => ({
			field: optionLabels.get(String(path[0])) ?? 'Options',
			message,
		})),
	};
}

/** Reads the options of items. n8n gives the same object for all items if it holds no expressions. */
export function optionsReader(): (given: unknown) => OptionsReading {
	let last: unknown;
	let read: OptionsReading | undefined;
	return (given) => {
		if (!read || given !== last) read = readOptions(given);
		last = given;
		return read;
	};
}
