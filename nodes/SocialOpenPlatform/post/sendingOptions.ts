import { trimInvisible } from '../platform/settings';
import { type Issue } from '../platform/outcome';
import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import {
	checkOptions,
	labelsOf,
	requestLimitFields,
	requestLimitSchema,
	timeoutField,
} from '../items/parameters';
import {
	boundedInteger,
	boundedNumber,
	flag,
	isNothing,
	once,
	text,
	tooLong,
	toText,
} from '../items/values';

const DEFAULT_TIMEOUT_S = 60;
const DEFAULT_LINK_DAYS = 7;
const MAX_KEY = 1000;

/** By default, n8n deletes an execution's data and files after 14 days. */
const MAX_LINK_DAYS = 14;

/**
 * A hint for AI builders. The node cannot detect that one expression provides a whole collection,
 * because n8n then passes an empty one.
 */
export const NO_WHOLE_EXPRESSION =
	'An object whose fields may be expressions. The collection itself cannot be one expression: n8n would pass an empty collection to the node.';

const sendingFields: INodeProperties[] = [
	{
		displayName: 'Check Media',
		name: 'checkMedia',
		type: 'boolean',
		default: true,
		description:
			'Whether n8n <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/files.md#check-links">opens each link</a> first, without credentials, and refuses one that does not lead to an image or a video. If you do not add this option, Validate opens links and Create does not.',
	},
	{
		displayName: 'Deduplication Key',
		name: 'oncePerKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.slug }}',
		builderHint: {
			propertyHint:
				'If the trigger may start the workflow twice for the same article or row, set this to its ID.',
		},
		description:
			'Something that identifies the article, such as its ID: the workflow then publishes it only once per account and content type. An item with a used key is skipped, and an item without a key is refused. <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/never-twice.md#deduplication-key">More about keys</a>.',
	},
	{
		displayName: 'File Link Validity (Days)',
		name: 'fileLinkValidity',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_LINK_DAYS, numberPrecision: 0 },
		default: DEFAULT_LINK_DAYS,
		description:
			'How long the platform can download the files in Media, 1 to 14 days. n8n may delete them earlier, with the execution.',
	},
	requestLimitFields.maxConcurrentRequests,
	{
		displayName: 'Max Posts per Run',
		name: 'maxPostsPerRun',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 10,
		description:
			"Maximum number of posts in a run of this node (each loop iteration is a run), or in all calls of an agent in an execution. If a run has more, nothing is sent. The first item's value applies to all items.",
	},
	requestLimitFields.minimumInterval,
	{
		displayName: 'Resend If Outcome Unknown',
		name: 'resendUnknown',
		type: 'boolean',
		default: false,
		description:
			'Whether to resend a post whose <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/never-twice.md#what-a-retry-sends">outcome is unknown</a>, in retries and, with a Deduplication Key, in later executions. The post may then be published twice.',
	},
	timeoutField(
		DEFAULT_TIMEOUT_S,
		'How long to wait for the response, 0.1 to 3600. Without a response, the outcome of the post is unknown, and a retry does not send it again unless Resend If Outcome Unknown is on.',
	),
	requestLimitFields.rateLimitWait,
];

/**
 * The options for sending posts. Validate also has them, because n8n drops the values of options
 * that the chosen operation does not have.
 */
export const sendingOptions: INodeProperties = {
	displayName: 'Sending Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Sending Option',
	default: {},
	description:
		'How posts are checked and sent. Options that you do not add keep their defaults. Validate checks all of them.',
	builderHint: { propertyHint: NO_WHOLE_EXPRESSION },
	displayOptions: { show: { resource: ['post'], operation: ['create', 'validate'] } },
	options: sendingFields,
};

/** Labels of the options in the panel, by parameter name. */
export const sendingLabels = labelsOf([sendingOptions]);

/**
 * Creates the schema of a key. A number and the string of its digits are the same key. Whitespace
 * and invisible characters around a key are ignored, and so are differences in the Unicode form of
 * accented letters.
 *
 * @param empty the issue with an empty key
 */
export const keyText = (empty: string) =>
	z.preprocess(
		toText,
		text
			.max(MAX_KEY, tooLong(MAX_KEY))
			.transform((key) => trimInvisible(key).normalize('NFC'))
			.refine((key) => key !== '', empty),
	);

const NO_KEY =
	'is empty for this item, so it is not possible to check whether it was posted before';

export const sendingSchema = once(() =>
	z.object({
		...requestLimitSchema().shape,
		checkMedia: flag.optional(),
		fileLinkValidity: boundedInteger('a number of days', 1, MAX_LINK_DAYS).default(
			DEFAULT_LINK_DAYS,
		),
		oncePerKey: keyText(NO_KEY).optional(),
		maxPostsPerRun: boundedInteger('a number of posts', 1, Infinity).optional(),
		resendUnknown: flag.default(false),
		timeout: boundedNumber('a number of seconds', 0.1, 3600).default(DEFAULT_TIMEOUT_S),
	}),
);
export type SendingOptions = z.infer<ReturnType<typeof sendingSchema>>;

export const LIMIT = sendingLabels.maxPostsPerRun!;

/** Issues for options that, once added, must have a value for the item. */
const required = { oncePerKey: NO_KEY, maxPostsPerRun: 'is not a number of posts' };

/** Reads an item's sending options. An invalid option is reported, and its default is used. */
export function readSendingOptions(given: unknown): { options: SendingOptions; issues: Issue[] } {
	const { options, issues } = checkOptions(sendingSchema(), given, sendingLabels);
	const set = Object(given) as Record<string, unknown>;
	for (const [name, message] of Object.entries(required)) {
		if (name in set && isNothing(set[name])) issues.push({ field: sendingLabels[name]!, message });
	}
	return { options, issues };
}
