import type { IExecuteFunctions } from 'n8n-workflow';
import {
	check,
	holdsExpression,
	NOT_SENT,
	parameterReader,
	readOtherFields,
	type Issue,
	type ParameterReader,
} from '../items/parameters';
import { isTool } from '../items/agentTool';
import { nameOf } from '../items/run';
import { isNothing, isObject, quote, toText } from '../items/values';
import { findAccount } from '../platform/accounts';
import { credentialUnusable, type Failed } from '../platform/outcome';
import { openSession, type Session } from '../platform/session';
import type { Settings } from '../platform/settings';
import { captionOf } from './caption';
import { entriesOf, boundedList, valuesOf, type Entry, type Item } from './entries';
import { readFieldNames } from './fieldNames';
import { fields, mainProperties } from './fields';
import type { UnknownPost } from './ledger';
import { MediaFile, type FoundMedia } from './media/formats';
import { LIMIT, readOptions, type CreateOptions, type OptionsReading } from './sendingOptions';
import { notATime, pastTime, readPublishTime, toPostDate } from './publishTime';
import { MAX_ENTRIES, toWire, type FieldNames, type PostValues } from './wire';

type Field = (typeof fields)[number];

/** The facts that are needed to read the parameters of a post. */
interface PostContext {
	now: Date;
	/** IANA name of the workflow's time zone, which applies to times without an offset. */
	timezone: string;
	fieldNames?: FieldNames;
	/** The accounts that the credential lists. */
	listed?: Pick<Settings, 'accounts' | 'onlyListedAccounts'>;
	/** Whether an AI agent calls the node. */
	isTool?: boolean;
	/** The node's stored parameters, which show which fields are expressions. */
	raw: Readonly<Record<string, unknown>>;
	/** The input item: a row may name one of its binary properties. */
	item?: Item;
}

/** A link or a file in a field of a post. */
export interface PlacedMedia {
	/** Label of the field. */
	field: string;
	/** The beginning of an issue: the row, and the link or the name of the file. */
	place: string;
	source: string | MediaFile;
}

/** A file in a field of a post. */
export interface PlacedFile extends PlacedMedia {
	source: MediaFile;
}

/** The post of an item, from the reading of its fields until it is sent. */
export interface Post {
	itemIndex: number;
	/** The name of the post in messages; undefined if it is the only one. */
	name?: string;
	options: CreateOptions;
	/** The unknown outcome of an earlier request. */
	earlier?: UnknownPost;
	/** The values by the names of the interface. If there are issues, only those that could be read. */
	values: PostValues;
	/** The body exactly as it is sent, but with files in place of links to them. */
	body: Record<string, unknown>;
	media: PlacedMedia[];
	/** The facts about its links and files. It is empty until they are checked. */
	found: FoundMedia;
	/** Issues that prevent sending. */
	issues: Issue[];
	/** Values that are left out of the request and, after the check, limits that may be exceeded. */
	warnings: Issue[];
}

/** A post without its place in the run and its options. */
export type PostContent = Omit<Post, 'itemIndex' | 'name' | 'options'>;

/** The post fields of an item as n8n provides them: with expressions evaluated, but unchecked. */
export type PostParameters = Record<string, unknown>;

/** Default values of the parameters of a post. */
const defaults: PostParameters = {
	...Object.fromEntries(mainProperties.map((one) => [one.name, one.default])),
	socialAccountId: '',
	postOptions: {},
};

/** The name of a single post in messages. */
export const THE_POST = 'the post';

const NO_VALUE = 'has an expression that returns no value for this item';
const HOLDS_NOTHING = `has an expression that returns nothing for this item; ${NOT_SENT}`;

/** Number of characters of a text in the name of its post. */
const MAX_NAME = 40;

/** Number of code units of a text that are read for this name, because a text may be very long. */
const MAX_READ = 1000;

/** Reads the posts of a run. Create and Validate read them in the same way. */
export class PostReader {
	private readonly parameter;

	private readonly items;

	private readonly shared;

	private readonly readOptions: (itemIndex: number) => OptionsReading;

	private constructor(
		readonly context: IExecuteFunctions,
		readonly session: Session,
		fieldNames: FieldNames,
	) {
		this.parameter = parameterReader(context);
		this.items = context.getInputData();
		this.shared = {
			timezone: context.getTimezone(),
			fieldNames,
			listed: session.settings,
			isTool: isTool(context),
			raw: context.getNode().parameters,
		};
		const { options } = this.shared.raw;
		const fixed = holdsExpression(options) ? undefined : readOptions(options ?? {});
		this.readOptions = (index) => fixed ?? readOptions(this.parameter('options', index, {}));
	}

	/** Opens the session of a run. */
	static async open(context: IExecuteFunctions): Promise<PostReader | Failed> {
		const session = await openSession(context, THE_POST);
		if ('failure' in session) return session;
		const { names, issues } = readFieldNames(session.data);
		if (issues.length > 0) return credentialUnusable(THE_POST, `${issues.join('. ')}.`);
		return new PostReader(context, session, names);
	}

	/** Reads the post of an item. Its media are not read yet, because it may not be sent at all. */
	read(itemIndex: number): Post {
		const { options, issues } = this.readOptions(itemIndex);
		const { shared, items } = this;
		const facts = { ...shared, now: new Date(), item: items[itemIndex] };
		const post = preparePost(readParameters(this.parameter, itemIndex), facts);
		const name = postName(itemIndex, items.length, post.values);
		return {
			...post,
			itemIndex,
			name,
			options,
			issues: [...post.issues, ...issues],
		};
	}

	/**
	 * The issue of a run with more posts than *Max Posts per Run* allows, or of a limit that cannot
	 * be used. Only the first item sets the limit.
	 *
	 * @param count counts the posts that are to be sent
	 */
	limitIssue(count: (options: CreateOptions) => number) {
		if (!('maxPostsPerRun' in Object(this.shared.raw.options))) return undefined;
		const { options, limitIssue } = this.readOptions(0);
		const { maxPostsPerRun: limit } = options;
		if (limit === undefined) return limitIssue;
		const posts = count(options);
		const message = `is ${limit}, but ${posts} posts are to be sent`;
		return posts > limit ? { field: LIMIT, message } : undefined;
	}
}

export function readParameters(read: ParameterReader, itemIndex: number) {
	const entries = Object.entries(defaults).map(([name, fallback]) => [
		name,
		read(name, itemIndex, fallback),
	]);
	return Object.fromEntries(entries) as PostParameters;
}

/**
 * Creates the request body from the parameters of an item. It never throws: the result contains all
 * issues of the item. Fields that were not set are left out of the body.
 */
export function preparePost(parameters: PostParameters, context: PostContext): PostContent {
	const { fieldNames = {} } = context;
	const readings = fields.map((field) => readField(field, parameters, context));
	const exclusive: Record<string, unknown> = {};
	const values: Record<string, unknown> = {};
	for (const { field, value } of readings) {
		if (value !== undefined && field.name)
			(field.exclusive ? exclusive : values)[field.name] = value;
	}
	if (Object.keys(exclusive).length > 0) values.exclusive = exclusive;
	const others = readOthers(toWire(values, fieldNames), parameters.postOptions);
	return {
		values,
		body: others.body,
		media: readings.flatMap(({ media }) => media),
		found: new Map(),
		issues: [...readings.flatMap(({ issues }) => issues), ...others.issues],
		warnings: [...readings.flatMap(({ warnings }) => warnings), ...others.warnings],
	};
}

interface FieldReading {
	field: Field;
	value?: unknown;
	media: PlacedMedia[];
	issues: Issue[];
	warnings: Issue[];
}

/** The value of a field before its check. */
interface Converted {
	value?: unknown;
	/** The entries of a list. */
	entries?: Entry[];
	/** The issue of a value that cannot be converted. */
	issue?: string;
	warnings?: string[];
}

/** Reads and checks one field. A field that has a value is never left out without an issue. */
function readField(field: Field, parameters: PostParameters, context: PostContext): FieldReading {
	const { property, isOption, kind } = field;
	const valueIn = (all: PostParameters) =>
		(Object(isOption ? all.postOptions : all) as PostParameters)[property.name];
	const given = valueIn(parameters);
	const raw = valueIn(context.raw);
	if (isOption && (given ?? raw) === undefined) {
		return { field, media: [], issues: [], warnings: [] };
	}
	const {
		value,
		entries = [],
		warnings = [],
		...converted
	} = convert(field, given, raw, parameters, context);
	const rowNames = entries.map(({ name }) => name);
	const checked = converted.issue
		? { value, message: converted.issue }
		: check(field.schema, value, rowNames);
	const account = kind === 'account' ? accountOf(checked.value, context) : checked;
	const missing = missingIssue(field, given, raw);
	const isFatal = field.ifNothing !== undefined && given !== '';
	const ofField = (messages: Array<string | undefined>) =>
		messages
			.filter((message) => message !== undefined)
			.map((message) => ({ field: property.displayName, message }));
	return {
		field,
		value: account.value,
		media: kind === 'files' || kind === 'file' ? placesOf(field, entries) : [],
		issues: ofField([isFatal ? missing : undefined, checked.message ?? account.message]),
		warnings: ofField([isFatal ? undefined : missing, ...warnings]),
	};
}

/**
 * The issue of an expression that returns nothing. n8n returns null for an expression that throws,
 * and a post must not lose its text because of that.
 *
 * @param raw the field as it is stored in the node
 */
function missingIssue({ ifNothing }: Field, given: unknown, raw: unknown) {
	const values = boundedList(given);
	// The check reports rows of a list without a value.
	const isMissing = ifNothing ? values.length === 0 || isNothing(given) : values.every(isNothing);
	if (!isMissing || !holdsExpression(raw)) return undefined;
	return ifNothing && given !== '' ? `${NO_VALUE}; correct it, or ${ifNothing}` : HOLDS_NOTHING;
}

function convert(
	field: Field,
	given: unknown,
	raw: unknown,
	parameters: PostParameters,
	context: PostContext,
): Converted {
	switch (field.kind) {
		case 'files': {
			const entries = entriesOf(given, raw, context.item);
			return { value: valuesOf(entries), entries };
		}
		case 'file': {
			const entries = entriesOf(given, raw, context.item);
			return { value: (entries.length === 1 && entries[0]?.value) || given, entries };
		}
		case 'text':
			return readText(given, field, Object(parameters.postOptions) as PostParameters);
		case 'usernames':
			return readUsernames(given);
		case 'trial':
			return readTrial(given);
		case 'publishTime':
			return given === 'now' || given === 'at' ? {} : { issue: "must be 'now' or 'at'" };
		case 'time':
			return parameters.publishTime === 'at' ? readTime(given, context) : {};
		case 'others':
			return {};
		default:
			return { value: given };
	}
}

/** The ID of an account, which may be given by its listed name. */
function accountOf(
	given: unknown,
	{ listed, isTool: isAgent = false }: PostContext,
): { value?: unknown; message?: string } {
	if (typeof given !== 'string') return {};
	const account = given.trim();
	const found = listed ? findAccount(listed, account, isAgent) : { id: account };
	return 'id' in found ? { value: found.id } : { value: account, message: found.issue };
}

/** The links and files in a field. */
function placesOf({ kind, property }: Field, entries: Entry[]): PlacedMedia[] {
	return entries.flatMap(({ value, name }) => {
		const isFile = value instanceof MediaFile;
		if (!isFile && (typeof value !== 'string' || value === '')) return [];
		const row = kind === 'files' ? `${name} ` : '';
		const place = `${row}(${quote(isFile ? value.name : value)}) `;
		return { field: property.displayName, place, source: value };
	});
}

/** Converts a text to plain text. Only the caption gets hashtags, and can be shortened. */
function readText(given: unknown, { body }: Field, options: PostParameters): Converted {
	const text = toText(given ?? '');
	const { textFormat, hashtags, shortenText } = options;
	if (typeof text !== 'string' || !(textFormat || hashtags || shortenText)) return { value: given };
	const { value, warning } = captionOf(text, body ? options : { textFormat });
	const issue =
		text.trim() && !value ? "has no text besides the marks of its 'Text Format'" : undefined;
	return { value, issue, warnings: warning ? [warning] : [] };
}

/** Reads the usernames of collaborators. An expression may return an empty one. */
function readUsernames(given: unknown): Converted {
	const all = entriesOf(given);
	// A list that is too long is refused as a whole.
	const entries = all
		.filter(({ value }) => value !== '' || all.length > MAX_ENTRIES)
		.map(({ name, value }) => ({
			name,
			value: typeof value === 'string' ? value.replace(/^@/, '') : value,
		}));
	const empty = all.filter(({ value }) => value === '');
	const warnings = empty.map(({ name }) => `${name} is empty; ${NOT_SENT}`);
	return { value: valuesOf(entries), entries, warnings };
}

/** The format of a trial setting is an assumption, because the platform's interface does not show it. */
function readTrial(given: unknown): Converted {
	if (isNothing(given) || given === 'OFF') return {};
	const value = [{ graduation_strategy: given }];
	if (given === 'MANUAL' || given === 'SS_PERFORMANCE') return { value };
	const advice = "for other settings, use 'Other Fields (JSON)'";
	return { value, issue: `must be OFF, MANUAL or SS_PERFORMANCE; ${advice}` };
}

/** Reads the publish time. A post that is scheduled for later must never be sent without its time. */
function readTime(given: unknown, { timezone, now }: PostContext): Converted {
	const time = readPublishTime(given, timezone);
	if (!time) return { issue: notATime(given, timezone) };
	const value = toPostDate(time);
	return { value, issue: pastTime(value, timezone, now.getTime()) };
}

/** Adds *Other Fields (JSON)* to a request body. A field that is given twice is an issue. */
function readOthers(body: Record<string, unknown>, options: unknown) {
	const { property } = fields.find(({ kind }) => kind === 'others')!;
	const { name, displayName: field } = property;
	const json = (Object(options) as PostParameters)[name];
	const { exclusive: own = {}, ...main } = body;
	const ofOwn = Object.keys(own as object).map((one) => `exclusive.${one}`);
	const given = readOtherFields(json, field, [...Object.keys(main), ...ofOwn]);
	const { exclusive: more = {}, ...others } = given.fields;
	const exclusive = { ...(own as object), ...(more as object) };
	const isEmpty = Object.keys(exclusive).length === 0;
	const message = "contains 'exclusive', which is not an object";
	return {
		body: { ...main, ...(!isEmpty && { exclusive }), ...others },
		issues: isObject(more) ? given.issues : [...given.issues, { field, message }],
		warnings: given.warnings,
	};
}

/** The name of a post in messages: its position and the beginning of its text. */
function postName(itemIndex: number, itemCount: number, values: PostValues) {
	const position = nameOf('post', itemIndex, itemCount);
	const characters = [...onOneLine((values.text || values.title || '').trim().slice(0, MAX_READ))];
	if (!position || characters.length === 0) return position;
	const beginning = characters.slice(0, MAX_NAME).join('').trim();
	return `${position}, “${beginning}${characters.length > MAX_NAME ? '…' : ''}”`;
}

export function onOneLine(text: string) {
	return text.replace(/\s+/g, ' ');
}

/** The files among the media of a post. */
export function filesOf(media: PlacedMedia[]) {
	return media.filter((one): one is PlacedFile => one.source instanceof MediaFile);
}
