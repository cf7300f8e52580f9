import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import {
	checkOptions,
	labelsOf,
	parameterReader,
	readOtherFields,
	requestLimitSchema,
} from '../items/parameters';
import { findAccountFor } from '../items/agentTool';
import { nameOf } from '../items/run';
import {
	boundedInteger,
	boundedNumber,
	flag,
	holdsExpression,
	isNothing,
	isObject,
	NOT_SENT,
	once,
} from '../items/values';
import { failed, type Issue } from '../platform/outcome';
import { openSession, type Session } from '../platform/session';
import { fields, labelOf, MEDIA, panelFields, readFieldNames } from './fields';
import { beginningOf, type UnknownOutcome } from './ledger';
import { MediaFile } from './media/formats';
import {
	keyText,
	type PlacedMedia,
	type PostValues,
	type Reading,
	type ReadingContext,
} from './readers';
import {
	DEFAULT_LINK_DAYS,
	DEFAULT_TIMEOUT_S,
	MAX_LINK_DAYS,
	sendingOptions,
} from './sendingOptions';

/** Parameters or request fields, by name. */
type Named = Record<string, unknown>;

/** The facts that are needed to read a post's parameters. */
interface PostContext extends Omit<ReadingContext, 'parameters'> {
	/** Names of request fields from the credential, by their names in {@link PostValues}. */
	fieldNames: Readonly<Record<string, string>>;
	/** The node's stored parameters, which show which fields are expressions. */
	raw: Readonly<Named>;
}

/** A link or a file, with the field that contains it. */
export interface FieldMedia extends PlacedMedia {
	/** The field's label. */
	field: string;
}

/** A post's data, from reading its fields to sending it. */
export interface Post {
	itemIndex: number;
	/** The post's name in messages, if the run has several items. */
	name?: string;
	options: SendingOptions;
	/** The names of the accounts in the credential, by ID. */
	accounts: ReadonlyMap<string, string>;
	/** IANA name of the workflow's time zone. */
	timezone: string;
	/** The unknown outcome of an earlier request for this post or its key. */
	earlier?: UnknownOutcome;
	/** The values that could be read, by their default names in the request. */
	values: PostValues;
	/** The request body as it is sent, but with files in place of links to them. */
	body: Named;
	media: FieldMedia[];
	/** Issues that prevent sending. */
	issues: Issue[];
	/** Warnings about values and, after `checkMedia`, about the media. They do not prevent sending. */
	warnings: Issue[];
}

/** The parts of a post that are read from its parameters, except the sending options. */
export type PostContent = Omit<Post, 'itemIndex' | 'name' | 'accounts' | 'timezone' | 'options'>;

/** The name of a single post in messages. */
export const THE_POST = 'the post';

const NO_VALUE = 'has an expression that returns no value for this item';
const HOLDS_NOTHING = `has an expression that returns nothing for this item; ${NOT_SENT}`;

/** Labels of the options in the panel, by parameter name. */
const sendingLabels = labelsOf([sendingOptions]);

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
type SendingOptions = z.infer<ReturnType<typeof sendingSchema>>;

const LIMIT = sendingLabels.maxPostsPerRun!;

/** Issues for options that, once added, must have a value for the item. */
const required = { oncePerKey: NO_KEY, maxPostsPerRun: 'is not a number of posts' };

/** Reads an item's sending options. An invalid option is reported, and its default is used. */
function readSendingOptions(given: unknown) {
	const { options, issues } = checkOptions(sendingSchema(), given, sendingLabels);
	const set = Object(given) as Named;
	for (const [name, message] of Object.entries(required)) {
		if (name in set && isNothing(set[name])) issues.push({ field: sendingLabels[name]!, message });
	}
	return { options, issues };
}

/** Reads the posts of a run for Create and Validate. */
export class PostReader {
	private readonly parameter;

	private readonly items;

	private readonly shared;

	private readonly sendingOptionsOf;

	private constructor(
		readonly context: IExecuteFunctions,
		readonly session: Session,
		fieldNames: PostContext['fieldNames'],
	) {
		this.parameter = parameterReader(context, labelsOf(fields.map(({ property }) => property)));
		this.items = context.getInputData();
		this.shared = {
			timezone: context.getTimezone(),
			fieldNames,
			findAccount: (given: string) => findAccountFor(context, session.settings, given),
			raw: context.getNode().parameters,
		};
		const { options = {} } = this.shared.raw;
		const fixed = holdsExpression(options) ? undefined : readSendingOptions(options);
		this.sendingOptionsOf = (itemIndex: number) =>
			fixed ?? readSendingOptions(this.parameter('options', itemIndex, {}));
	}

	/** Creates the reader for a run, or returns a failure if the credential is unusable. */
	static async open(context: IExecuteFunctions) {
		const session = await openSession(context, THE_POST);
		if ('failure' in session) return session;
		const { names, issues } = readFieldNames(session.data);
		if (issues.length > 0) return failed.credentialUnusable(THE_POST, `${issues.join('. ')}.`);
		return new PostReader(context, session, names);
	}

	/**
	 * Reads an item's post. The content of its media is read later, because the post may not be sent
	 * at all.
	 */
	read(itemIndex: number): Post {
		const names = [...panelFields.map(({ property }) => property.name), 'postOptions'];
		const parameters = Object.fromEntries(
			names.map((name) => [name, this.parameter(name, itemIndex, undefined)]),
		);
		return this.postOf(itemIndex, parameters, this.sendingOptionsOf(itemIndex));
	}

	/** Creates an empty post for an item whose parameters cannot be read. */
	unreadable(itemIndex: number): Post {
		return this.postOf(itemIndex, {}, readSendingOptions({}));
	}

	private postOf(
		itemIndex: number,
		parameters: Named,
		{ options, issues }: ReturnType<typeof readSendingOptions>,
	): Post {
		const { binary } = this.items[itemIndex] ?? {};
		const post = preparePost(parameters, { ...this.shared, binary, now: Date.now() });
		const { text, media_urls } = post.values;
		const own = Object.keys(post.values).map((name) => this.shared.fieldNames[name] ?? name);
		const hasOthers = Object.keys(post.body).some((name) => !['exclusive', ...own].includes(name));
		if (!text && !media_urls && !hasOthers && post.issues.length === 0) {
			const message = 'is empty, and so is the text; a post needs one of them';
			post.issues.push({ field: MEDIA, message });
		}
		return {
			...post,
			itemIndex,
			name: postName(itemIndex, this.items.length, post.values),
			accounts: this.session.settings.accounts,
			timezone: this.shared.timezone,
			options,
			issues: [...post.issues, ...issues.filter(({ field }) => field !== LIMIT)],
		};
	}

	/**
	 * Returns an issue if a run has more posts than *Max Posts per Run* allows, or if this limit is
	 * invalid. The first item's value applies to the whole run.
	 *
	 * @param count counts the posts that are to be sent
	 */
	limitIssue(count: (options: SendingOptions) => number): Issue | undefined {
		if (!('maxPostsPerRun' in Object(this.shared.raw.options))) return undefined;
		const { options, issues } = this.sendingOptionsOf(0);
		const { maxPostsPerRun: limit } = options;
		if (limit === undefined) return issues.find(({ field }) => field === LIMIT);
		const posts = count(options);
		const message = `is ${limit}, but ${posts} posts are to be sent`;
		return posts > limit ? { field: LIMIT, message } : undefined;
	}
}

/**
 * Reads a post from an item's parameters, and creates the request body. Issues are returned, not
 * thrown. The body omits fields that were not set.
 */
export function preparePost(given: Named, context: PostContext): PostContent {
	const parameters = withPostOptions(given);
	const stored = withPostOptions(context.raw);
	const readingContext = { ...context, parameters };
	const { fieldNames } = context;
	const values: Named = {};
	const main: Named = {};
	const exclusive: Named = {};
	const media: FieldMedia[] = [];
	const issues: Issue[] = [];
	const warnings: Issue[] = [];
	for (const row of fields) {
		const { name, displayName: field } = row.property;
		const reading = readField(row, parameters[name], readingContext, stored[name]);
		const { value, issue } = reading;
		if (row.name && value !== undefined) {
			values[row.name] = value;
			(row.isExclusive ? exclusive : main)[fieldNames[row.name] ?? row.name] = value;
		}
		if (issue) issues.push({ field, message: issue });
		for (const message of reading.warnings ?? []) warnings.push({ field, message });
		for (const one of reading.media ?? []) media.push({ ...one, field });
	}
	for (const { name = '', limits, property } of fields) {
		for (const message of (name in values && limits?.(values)) || []) {
			if (message) warnings.push({ field: property.displayName, message });
		}
	}
	if (!values.media_urls) {
		warnings.push({ field: MEDIA, message: 'is empty; the photo platform requires at least one' });
	}
	const others = addOthers(main, exclusive, parameters.additionalBodyFields);
	issues.push(...others.issues);
	return { values, body: others.body, media, issues, warnings };
}

/** Returns all parameters by name, including those in *Post Options*. */
function withPostOptions({ postOptions, ...main }: Named): Named {
	return { ...(isObject(postOptions) && postOptions), ...main };
}

/** Reads one field, and reports an expression that returns nothing. */
function readField(
	{ read, ifNothing }: (typeof fields)[number],
	given: unknown,
	context: ReadingContext,
	raw: unknown,
): Reading {
	const reading = read(given, context, raw);
	const isMissing = Array.isArray(given) ? given.length === 0 : isNothing(given);
	if (!isMissing || !holdsExpression(raw)) return reading;
	// n8n may return null for a failed expression. The post must not lose its text or media then.
	if (ifNothing && given !== '') return { issue: `${NO_VALUE}; correct it, or ${ifNothing}` };
	return { ...reading, warnings: [HOLDS_NOTHING] };
}

/** Adds *Other Fields (JSON)* to a request body. A field that is given twice is reported. */
function addOthers(main: Named, exclusive: Named, json: unknown) {
	const field = labelOf('additionalBodyFields');
	const taken = [
		...Object.keys(main),
		...Object.keys(exclusive).map((name) => `exclusive.${name}`),
	];
	const { fields: given, issues } = readOtherFields(json, field, taken);
	const { exclusive: more = {}, ...others } = given;
	if (!isObject(more))
		issues.push({ field, message: "contains 'exclusive', which is not an object" });
	const all = { ...exclusive, ...(more as object) };
	const body = { ...main, ...(Object.keys(all).length > 0 && { exclusive: all }), ...others };
	return { body, issues };
}

/** Returns a post's name in messages: its position and the beginning of its text or title. */
function postName(itemIndex: number, itemCount: number, values: PostValues) {
	const position = nameOf('post', itemIndex, itemCount);
	const beginning = beginningOf(values);
	return position && beginning ? `${position}, “${beginning}”` : position;
}

/** Returns the request body of a post with each file replaced. */
export function replaceFiles(
	{ body, media }: PostContent,
	replace: (file: MediaFile) => unknown,
): Named {
	if (media.length === 0) return body;
	const entry = (value: unknown) => (value instanceof MediaFile ? replace(value) : value);
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [
			name,
			Array.isArray(value) ? value.map(entry) : entry(value),
		]),
	);
}
