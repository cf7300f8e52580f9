import type { DateTime } from 'luxon';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Issues, NOT_SENT } from '../items/issues';
import { holdsExpression, type ParameterReader } from '../items/parameterReader';
import { isNothing, isObject, quote, toJson, toNumber, toText } from '../items/values';
import { findAccount } from '../platform/accounts';
import type { FieldNames } from '../platform/fieldNames';
import type { Issue } from '../platform/issue';
import { isBinaryFile, MediaFile } from './media/formats';
import {
	fileWarnings,
	isPrivate,
	photoWarnings,
	shareAdvice,
	type FileFacts,
} from './media/photoLimits';
import { exclusiveSchema, MAX_ENTRIES, postRequestSchema, toWire, type PostDraft } from './wire';
import type { Settings } from '../platform/settings';
import { isTool } from '../items/agentTool';
import { labelOf, labels, postOptions, type LabelledField } from './fields';
import { pastTime, readPublishTime, toPostDate } from './publishTime';

/** The facts that are needed to read the parameters of a post. */
interface PostContext {
	now: Date;
	/** IANA name of the workflow's time zone, which applies to times without an offset. */
	timezone: string;
	fieldNames: FieldNames;
	/** Whether the platform is at a private address. */
	isLocal?: boolean;
	/** The accounts that the credential lists. */
	listed?: Pick<Settings, 'accounts' | 'onlyListedAccounts'>;
	/** Whether an AI agent calls the node. */
	isTool?: boolean;
	/** The node's stored parameters, which show which fields are expressions. */
	raw: Readonly<Record<string, unknown>>;
	/** The input item: a row may name one of its binary properties. */
	item?: Pick<INodeExecutionData, 'binary'>;
}

export interface PreparedPost {
	/**
	 * The body exactly as it is sent. If there are problems, it contains only the fields that could
	 * be read.
	 */
	body: Record<string, unknown>;
	/** The account and the content type, which are part of the deduplication key. */
	account?: string;
	contentType?: string;
	/** Issues that prevent sending. */
	problems: Issue[];
	/** Unix time of `post_date` in milliseconds; undefined when the post is published at once. */
	publishAt?: number;
	/** The files in the body, with their fields and rows. */
	files: PlacedFile[];
	/** The links in the body, with their fields and rows. */
	links: PlacedLink[];
	/** Returns limits of the photo platform that the post may exceed, and ambiguous times. */
	warnings: () => Issue[];
}

export interface PlacedFile extends Place {
	file: MediaFile;
}

export interface PlacedLink extends Place {
	url: string;
	/** The file to which the link leads, once it has been opened. */
	found?: FileFacts & { head?: Buffer };
}

interface Place {
	/** Label of the field. */
	field: string;
	/** The beginning of an issue: the row and the name of the file. */
	place: string;
}

/** Default values of the parameters of a post. */
const defaults = {
	socialAccountId: '',
	text: '',
	mediaUrls: [],
	contentType: 'POST',
	publishTime: 'now',
	publishAt: '',
	postOptions: {},
};

/** The post fields of an item as n8n provides them: with expressions evaluated, but unchecked. */
export type PostParameters = Record<keyof typeof defaults, unknown>;

const OTHERS = 'additionalBodyFields';

/** Maximum length of a row that is read as a list. Each of its entries may have 1000 characters. */
const MAX_JSON = 200_000;

const NO_VALUE = 'has an expression that returns no value for this item';
const HOLDS_NOTHING = `has an expression that returns nothing for this item; ${NOT_SENT}`;
const WITHOUT_TEXT = "leave the field empty or return empty text ('') to post without text";
const WITHOUT_MEDIA = 'leave the field empty to post without media';

/** An expression that reads binary data. Other expressions may return data that anyone has sent. */
const READS_BINARY = /^=.*(?:\$binary|(?<!\bjson\b(?:[\w.?\s]|\[[^\]]*\])*)\.binary)\b/s;

/** Returns a function that reads the post of an item. */
export function postReader(
	context: IExecuteFunctions,
	settings: Settings,
	read: ParameterReader,
): (itemIndex: number) => PreparedPost {
	const items = context.getInputData();
	const shared = {
		timezone: context.getTimezone(),
		fieldNames: settings.fieldNames,
		isLocal: isPrivate(settings.baseUrl.href),
		raw: context.getNode().parameters,
		isTool: isTool(context),
		listed: settings,
	};
	return (itemIndex) => {
		const parameters = readParameters(read, itemIndex);
		return preparePost(parameters, { ...shared, now: new Date(), item: items[itemIndex] });
	};
}

export function readParameters(read: ParameterReader, itemIndex: number): PostParameters {
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
export function preparePost(parameters: PostParameters, context: PostContext): PreparedPost {
	const issues = new PostIssues(labels);
	const { raw, fieldNames, item } = context;
	const { contentType, text, mediaUrls } = parameters;
	issues.checkGiven('type', contentType, raw.contentType, 'choose a type');
	issues.checkGiven('text', text, raw.text, WITHOUT_TEXT);
	issues.checkGiven('media_urls', mediaUrls, raw.mediaUrls, WITHOUT_MEDIA);
	const options = Object(parameters.postOptions) as Record<string, unknown>;
	const rawOptions = Object(raw.postOptions) as Record<string, unknown>;
	issues.checkOptions(options, rawOptions);
	const publishAt = publishTimeOf(issues, parameters, context);
	const media = entriesOf(mediaUrls, raw.mediaUrls, item);
	const covers = entriesOf(options.videoCoverImageUrl, rawOptions.videoCoverImageUrl, item);
	const collaborators = collaboratorsOf(issues, options.collaborators);
	const draft = {
		social_account_id: toText(parameters.socialAccountId),
		post_date: publishAt && toPostDate(publishAt),
		title: toText(options.title),
		type: toText(contentType),
		text: toText(text),
		media_urls: valuesOf(media),
		thumbnail: (covers.length === 1 && covers[0]?.value) || options.videoCoverImageUrl,
	};
	const exclusive = {
		alt_text: toText(options.altText),
		share_to_feed: options.shareToFeed,
		auto_fit_image: options.autoFitImage,
		thumbnail_offset: toNumber(options.videoCoverOffset),
		collaborators: valuesOf(collaborators),
		auto_crop_image: options.autoCropImage,
		location_id: toText(options.locationId),
		trial_params: trialOf(issues, options.trialReel),
	};
	const post: PostDraft = {
		...issues.parse(postRequestSchema, draft, { media_urls: namesOf(media) }),
		exclusive: issues.parse(exclusiveSchema, exclusive, { collaborators: namesOf(collaborators) }),
	};
	post.social_account_id &&= accountIdOf(issues, post.social_account_id.trim(), context);
	const body = issues.withOthers(toWire(post, fieldNames), options.additionalBodyFields);
	const { problems } = issues;
	const files: PlacedFile[] = [];
	const links: PlacedLink[] = [];
	const place = (value: unknown, field: string, row: string) => {
		if (value instanceof MediaFile) {
			files.push({ file: value, field, place: `${row}(${quote(value.name)}) ` });
		} else if (typeof value === 'string' && value !== '') {
			const link = { url: value, field, place: `${row}(${quote(value)}) ` };
			const advice = shareAdvice(value);
			if (advice) problems.push({ field, message: `${link.place}${advice}` });
			else links.push(link);
		}
	};
	for (const { value, name } of media) place(value, labels.media_urls, `${name} `);
	for (const { value } of covers) place(value, labels.thumbnail, '');
	const warnings = () => {
		const opened = new Map(links.map(({ url, found }) => [url, found?.media]));
		const ofPost = photoWarnings(post, opened, context.isLocal).map(({ field, message }) => ({
			field: labelOf(field),
			message,
		}));
		const hasNoProblem = ({ field }: Issue) => !problems.some((one) => one.field === field);
		const ofMedia = mediaWarnings(post, files, links);
		return [...issues.warnings, ...ofPost, ...ofMedia].filter(hasNoProblem);
	};
	const key = { account: post.social_account_id, contentType: post.type };
	return { body, ...key, problems, publishAt: publishAt?.toMillis(), files, links, warnings };
}

/** What the photo platform may object to in the files of a post, and in those to which its links lead. */
function mediaWarnings({ type }: PostDraft, files: PlacedFile[], links: PlacedLink[]): Issue[] {
	const placed = ({ field, place }: Place, messages: string[]) =>
		messages.map((message) => ({ field, message: `${place}${message}` }));
	const isCover = ({ field }: Place) => field === labels.thumbnail;
	return [
		...files.flatMap((file) => placed(file, fileWarnings(file.file, type, isCover(file)))),
		...links.flatMap((link) => {
			const { found = {} } = link;
			return placed(link, fileWarnings(found, type, isCover(link)));
		}),
	];
}

/** The ID of an account, which may be given by its listed name. */
function accountIdOf(
	issues: PostIssues,
	given: string,
	{ listed, isTool = false }: PostContext,
): string {
	if (!listed) return given;
	const found = findAccount(listed, given, isTool);
	if ('id' in found) return found.id;
	issues.problem('social_account_id', found.issue);
	return given;
}

/** An entry of a list field. */
interface Entry {
	value: unknown;
	/** How messages name it. */
	name: string;
}

/**
 * The entries of a list field. A row that is an expression may return a list, also as JSON text. A row
 * without a value is an empty text, so that the check reports it.
 *
 * @param raw the rows as they are stored in the node
 * @param item the input item, for fields that take files
 */
function entriesOf(value: unknown, raw?: unknown, item?: PostContext['item']): Entry[] {
	if (isNothing(value)) return [];
	const rows = firstOf(value).flatMap((row, index) => {
		const isJson = typeof row === 'string' && row.length <= MAX_JSON && /^\s*\[/.test(row);
		const found = firstOf(isJson ? toJson(row) : row);
		const values = found.length > 0 ? found : [''];
		return values.map((one, entry) => ({
			value: fileOr(readEntry(one), Array.isArray(raw) ? raw[index] : raw, item),
			name: `row ${index + 1}${values.length > 1 ? `, entry ${entry + 1}` : ''}`,
		}));
	});
	return firstOf(rows);
}

/** The entries of a list, or a single value. Of a list that is too long, one more entry than allowed is read. */
function firstOf<T>(value: T | T[]): T[] {
	return Array.isArray(value) ? value.slice(0, MAX_ENTRIES + 1) : [value];
}

function readEntry(value: unknown): unknown {
	return typeof value === 'string' ? value.trim() : (toText(value) ?? '');
}

/**
 * The file that an entry means, or the entry itself. The data of an item may come from anyone,
 * so only the node's own text can choose a file: it names a binary property, or is an expression
 * that reads binary data.
 *
 * @param raw the row as it is stored in the node
 */
function fileOr(entry: unknown, raw: unknown, item: PostContext['item']): unknown {
	if (isBinaryFile(entry)) return READS_BINARY.test(String(raw)) ? new MediaFile(entry) : entry;
	const { binary = {} } = item ?? {};
	const isName = typeof entry === 'string' && !holdsExpression(raw) && Object.hasOwn(binary, entry);
	return isName ? new MediaFile(binary[entry]!) : entry;
}

/** The values of entries, or undefined if there are none. */
function valuesOf(entries: Entry[]): unknown[] | undefined {
	return entries.length > 0 ? entries.map(({ value }) => value) : undefined;
}

function namesOf(entries: Entry[]): string[] {
	return entries.map(({ name }) => name);
}

/**
 * Reads the publish time. A post that is scheduled for later must never be sent without its time.
 */
function publishTimeOf(
	issues: PostIssues,
	{ publishTime, publishAt }: PostParameters,
	{ timezone, now }: PostContext,
): DateTime | undefined {
	if (publishTime !== 'at') {
		if (publishTime !== 'now') issues.problem('publishTime', "must be 'now' or 'at'");
		return undefined;
	}
	const time = readPublishTime(publishAt, timezone);
	if (!time) {
		issues.problem('post_date', notATime(publishAt, timezone));
		return undefined;
	}
	const passed = pastTime(time.toMillis(), toPostDate(time), timezone, now.getTime());
	if (passed) issues.problems.push(passed);
	return time;
}

function notATime(value: unknown, timezone: string): string {
	if (!isNothing(value) && readPublishTime(value, 'UTC')) {
		return `(${quote(value)}) has no offset, and the workflow's time zone '${timezone}' is not known; choose another in the workflow's settings, or include an offset, such as 2026-12-31T18:00:00+02:00`;
	}
	const what = isNothing(value) ? 'is empty' : `(${quote(value)}) is not a date and time`;
	return `${what}; use a format like 2026-12-31T18:00:00 or 2026-12-31T18:00:00+02:00, or set 'Publish Time' to Now`;
}

/** Reads the usernames of collaborators. An expression may return an empty one. */
function collaboratorsOf(issues: PostIssues, value: unknown): Entry[] {
	const entries = entriesOf(value);
	for (const { name } of entries.filter((entry) => entry.value === '')) {
		issues.warning('collaborators', `${name} is empty; ${NOT_SENT}`);
	}
	const withoutAt = (name: unknown) => (typeof name === 'string' ? name.replace(/^@/, '') : name);
	return entries
		.filter((entry) => entry.value !== '')
		.map((entry) => ({ ...entry, value: withoutAt(entry.value) }));
}

/** The format of a trial setting is an assumption, because the platform's interface does not show it. */
function trialOf(issues: PostIssues, value: unknown): object[] | undefined {
	if (isNothing(value) || value === 'OFF') return undefined;
	if (value !== 'MANUAL' && value !== 'SS_PERFORMANCE') {
		const advice = `for other settings, use '${labels[OTHERS]}'`;
		issues.problem('trial_params', `must be OFF, MANUAL or SS_PERFORMANCE; ${advice}`);
	}
	return [{ graduation_strategy: value }];
}

/** Collects the issues of a post. A field that has a value is never left out without an issue. */
class PostIssues extends Issues<LabelledField> {
	/**
	 * Checks a field that only the user may leave out. n8n returns null for an expression that
	 * throws, and a post must not lose its text because of that.
	 *
	 * @param raw the field as it is stored in the node
	 * @param advice what to do instead of correcting the expression
	 */
	checkGiven(field: LabelledField, value: unknown, raw: unknown, advice: string): void {
		const isGiven = Array.isArray(value) ? value.length > 0 : !isNothing(value);
		if (isGiven || !holdsExpression(raw)) return;
		if (value === '') this.warning(field, HOLDS_NOTHING);
		else this.problem(field, `${NO_VALUE}; correct it, or ${advice}`);
	}

	/** Warns of each option that is an expression and returns nothing. */
	checkOptions(options: Record<string, unknown>, raw: Record<string, unknown>): void {
		for (const { name, displayName } of postOptions) {
			if (firstOf(options[name]).every(isNothing) && holdsExpression(raw[name])) {
				this.warnings.push({ field: displayName, message: HOLDS_NOTHING });
			}
		}
	}

	/** Adds *Other Fields (JSON)* to a request body. A field that is given twice is an issue. */
	withOthers(body: Record<string, unknown>, json: unknown): Record<string, unknown> {
		const given = this.parseOtherFields(OTHERS, json, []);
		const { exclusive: more = {}, ...others } = given;
		const { exclusive: own = {}, ...fields } = body;
		if (!isObject(more)) this.problem(OTHERS, "contains 'exclusive', which is not an object");
		this.checkTwice(fields, others);
		this.checkTwice(own as object, Object(more) as object, 'exclusive.');
		const exclusive = { ...(own as object), ...(more as object) };
		const isEmpty = Object.keys(exclusive).length === 0;
		return { ...fields, ...(!isEmpty && { exclusive }), ...others };
	}

	private checkTwice(own: object, others: object, path = ''): void {
		for (const name of Object.keys(others).filter((one) => Object.hasOwn(own, one))) {
			this.problem(
				OTHERS,
				`contains '${path}${name}', which the node already sends; remove it there`,
			);
		}
	}
}
