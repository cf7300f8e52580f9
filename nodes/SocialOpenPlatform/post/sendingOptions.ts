import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_CONCURRENCY, rateLimitWaitField, timeoutField } from '../items/parameters';

export const DEFAULT_TIMEOUT_S = 60;
export const DEFAULT_LINK_DAYS = 7;

/** By default, n8n deletes an execution's data and files after 14 days. */
export const MAX_LINK_DAYS = 14;

/**
 * A hint for AI builders. The node cannot detect that one expression provides a whole collection,
 * because n8n then passes an empty one.
 */
export const NO_WHOLE_EXPRESSION =
	'An object whose fields may be expressions. The collection itself cannot be one expression: n8n would pass an empty collection to the node.';

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
	options: [
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
		{
			displayName: 'Max Concurrent Requests',
			name: 'maxConcurrentRequests',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
			default: DEFAULT_CONCURRENCY,
			description:
				'How many requests are sent to the platform at the same time, 1 to 100; <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/operations.md#many-posts">a distant platform needs more</a>. The output keeps the order of the input, and the first item\'s value applies to all items.',
		},
		{
			displayName: 'Max Posts per Run',
			name: 'maxPostsPerRun',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 10,
			description:
				"Maximum number of posts in a run of this node (each loop iteration is a run), or in all calls of an agent in an execution. If a run has more, nothing is sent. The first item's value applies to all items.",
		},
		{
			displayName: 'Minimum Interval (Seconds)',
			name: 'minimumInterval',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 3600 },
			default: 0,
			description:
				"Minimum time between the starts of two posts, 0 to 3600; with 0.5, two posts start per second. It applies within one run of this node (each loop iteration is a new run), and the first item's value applies to all items.",
		},
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
		rateLimitWaitField,
	],
};
