import type { DateTime } from 'luxon';
import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { Issues, NOT_SENT } from '../../parameters/issues';
import { holdsExpression, type ParameterReader } from '../../parameters/parameterReader';
import {
	isNothing,
	isObject,
	quote,
	toFlag,
	toJson,
	toNumber,
	toText,
} from '../../parameters/values';
import { findAccount, type Accounts } from '../../protocol/accounts';
import type { FieldNames } from '../../protocol/fieldNames';
import type { Issue } from '../../protocol/issue';
import { isBinaryFile, MediaFile, type BinaryFile } from '../../protocol/media';
import {
	fileWarnings,
	photoWarnings,
	shareAdvice,
	type FileFacts,
} from '../../protocol/photoLimits';
import { exclusiveSchema, postRequestSchema, toWire, type PostDraft } from '../../protocol/post';
import type { Settings } from '../../protocol/settings';
import { isTool } from '../agentTool';
import { labelOf, labels, postFields, type LabelledField } from './fields';
import { hasAmbiguousZone, pastTime, readPublishTime, toPostDate } from './publishTime';

/** The post fields of an item as n8n provides them: with expressions evaluated, but unchecked. */
export interface PostParameters {
	socialAccountId: unknown;
	contentType: unknown;
	text: unknown;
	mediaUrls: unknown;
	publishTime: unknown;
	publishAt: unknown;
	additionalFields: unknown;
	exclusive: unknown;
}

/** The facts that are needed to read the parameters of a post. */
interface PostContext {
	now: Date;
	/** IANA name of the workflow's time zone, which applies to times without an offset. */
	timezone: string;
	fieldNames: FieldNames;
	/** The only accounts that can be used; undefined if every account can be used. */
	listedAccounts?: Accounts;
	/** Whether an AI agent calls the node. */
	isTool?: boolean;
	/** The node's stored parameters, which show which fields are expressions. */
	raw: Readonly<Record<string, unknown>>;
	/** The input item: rows may name its binary properties. */
	item?: Pick<INodeExecutionData, 'json' | 'binary'>;
	/**
	 * Whether a node has a file with this ID as binary data: the input, or a node that the expression
	 * names. Undefined if n8n keeps files in the JSON of items.
	 */
	isAttached?: (id: string, expression: string) => boolean;
}

export interface PreparedPost {
	/**
	 * The body exactly as it is sent. If there are problems, it contains only the fields that could
	 * be read.
	 */
	body: Record<string, unknown>;
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
const defaults: PostParameters = {
	socialAccountId: '',
	contentType: 'POST',
	text: '',
	mediaUrls: [],
	publishTime: 'now',
	publishAt: '',
	additionalFields: {},
	exclusive: {},
};

export const postParameters = Object.keys(defaults) as Array<keyof PostParameters>;

const NO_VALUE = 'has an expression that returns no value for this item';
const HOLDS_NOTHING = `has an expression that returns nothing for this item; ${NOT_SENT}`;
const WITHOUT_TEXT = "leave the field empty or return empty text ('') to post without text";
const WITHOUT_MEDIA = 'leave the field empty to post without media';

/** The names of nodes in an expression, such as `$('Form')` and `$node["Form"]`. */
const NODE_NAMES = /\$(?:\(|node\[|items\()\s*(['"`])((?:\\.|(?!\1).)+)\1|\$node\.(\w+)/gs;

/** Maximum nesting of lists in a field that takes a list. */
const MAX_DEPTH = 10;

/** Returns a function that reads the post of an item. */
export function postReader(
	context: IExecuteFunctions,
	{ fieldNames, accounts, onlyListedAccounts }: Settings,
	read: ParameterReader,
): (itemIndex: number) => PreparedPost {
	const timezone = context.getTimezone();
	const { parameters: raw } = context.getNode();
	const items = context.getInputData();
	const isInJson = context.getWorkflowSettings().binaryMode === 'combined';
	const isAttached = isInJson ? undefined : attachedFiles(context, items);
	const shared = {
		timezone,
		fieldNames,
		raw,
		isAttached,
		isTool: isTool(context),
		listedAccounts: onlyListedAccounts ? accounts : undefined,
	};
	return (itemIndex) => {
		const parameters = readParameters(read, itemIndex);
		return preparePost(parameters, { ...shared, now: new Date(), item: items[itemIndex] });
	};
}

/** Returns a function that tells whether an item of the input or of a named node has a file. */
function attachedFiles(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): NonNullable<PostContext['isAttached']> {
	const idsOf = (some: INodeExecutionData[]) =>
		new Set(some.flatMap(({ binary = {} }) => Object.values(binary).map(({ id }) => id)));
	const ofInput = idsOf(items);
	const ofNodes = new Map<string, ReturnType<typeof idsOf>>();
	return (id, expression) => {
		if (ofInput.has(id)) return true;
		for (const [, , quoted = '', plain] of expression.matchAll(NODE_NAMES)) {
			const name = plain ?? quoted.replace(/\\(.)/gs, '$1');
			const ids = ofNodes.get(name) ?? idsOf(itemsOf(context, name));
			ofNodes.set(name, ids);
			if (ids.has(id)) return true;
		}
		return false;
	};
}

/** All items that a node has output, in all of its runs. */
function itemsOf(context: IExecuteFunctions, node: string): INodeExecutionData[] {
	const { $ } = context.getWorkflowDataProxy(0) as {
		$: (name: string) => { all: (branch: number, run: number) => INodeExecutionData[] };
	};
	const read = (branch: number, run: number) => {
		try {
			return $(node).all(branch, run);
		} catch {
			return undefined;
		}
	};
	// n8n gives the pinned data of a node for any run.
	const pinned = read(0, Number.MAX_SAFE_INTEGER);
	if (pinned) return pinned;
	const found: INodeExecutionData[] = [];
	for (let run = 0; read(0, run); run++) {
		for (let branch = 0, items = read(0, run); items; items = read(++branch, run)) {
			found.push(...items);
		}
	}
	return found;
}

export function readParameters(read: ParameterReader, itemIndex: number): PostParameters {
	const entries = Object.entries(defaults) as Array<[string, unknown]>;
	return Object.fromEntries(
		entries.map(([name, fallback]) => [name, read(name, itemIndex, fallback)]),
	) as unknown as PostParameters;
}

/**
 * Creates the request body from the parameters of an item. It never throws: the result contains all
 * issues of the item. Fields that were not set are left out of the body.
 */
export function preparePost(parameters: PostParameters, context: PostContext): PreparedPost {
	const issues = new PostIssues(context.raw);
	const { contentType, text, mediaUrls } = parameters;
	const more = issues.entriesOf('additionalFields', parameters.additionalFields);
	const exclusive = issues.entriesOf('exclusive', parameters.exclusive);
	issues.checkGiven('contentType', 'type', contentType, 'choose a type');
	issues.checkGiven('text', 'text', text, WITHOUT_TEXT);
	issues.checkGiven('mediaUrls', 'media_urls', mediaUrls, WITHOUT_MEDIA);
	const publishAt = publishTimeOf(issues, parameters, context);
	const rawCover = (Object(context.raw.additionalFields) as typeof more).videoCoverImageUrl;
	const cover = toText(more.videoCoverImageUrl);
	const link = typeof cover === 'string' ? cover.trim() || cover : cover;
	const covers = withFiles(link, rawCover, context);
	const media = mediaRowsOf(mediaUrls, context);
	const collaborators = collaboratorsOf(issues, exclusive.collaborators);
	const draft = {
		social_account_id: given(toText(parameters.socialAccountId)),
		post_date: publishAt && toPostDate(publishAt),
		title: given(toText(more.title)),
		type: given(toText(contentType)),
		text: given(toText(text)),
		media_urls: givenList(media.entries),
		thumbnail: given(covers.length > 1 ? covers : covers[0]),
		exclusive: {
			alt_text: given(toText(exclusive.altText)),
			share_to_feed: given(toFlag(exclusive.shareToFeed)),
			auto_fit_image: given(toFlag(exclusive.autoFitImage)),
			thumbnail_offset: given(toNumber(exclusive.videoCoverOffset)),
			collaborators: givenList(collaborators.entries),
			auto_crop_image: given(toFlag(exclusive.autoCropImage)),
			location_id: given(toText(exclusive.locationId)),
			trial_params: trialSettingsOf(issues, exclusive),
		},
	};
	const rowNames = { media_urls: media.names, collaborators: collaborators.names };
	const post: PostDraft = issues.parse(postRequestSchema, draft, rowNames);
	post.social_account_id &&= accountIdOf(issues, post.social_account_id.trim(), context);
	const otherFields = (field: LabelledField, value: unknown, shape: object) =>
		issues.parseOtherFields(field, value, wireNames(shape, context.fieldNames));
	const free = {
		body: otherFields('additionalBodyFields', more.additionalBodyFields, postRequestSchema.shape),
		exclusive: otherFields(
			'additionalExclusiveOptions',
			exclusive.additionalExclusiveOptions,
			exclusiveSchema.shape,
		),
	};
	const { problems } = issues;
	const { files, links } = mediaOf(draft, media.names);
	const warnings = () => {
		const hasNoProblem = ({ field }: Issue) => !problems.some((one) => one.field === field);
		const ofPost = limitWarnings(post, links);
		const ofMedia = mediaWarnings(post, files, links);
		return [...issues.warnings, ...ofPost, ...ofMedia].filter(hasNoProblem);
	};
	const body = toWire(post, context.fieldNames, free);
	return { body, problems, publishAt: publishAt?.toMillis(), files, links, warnings };
}

/** Limits of the photo platform that the fields of a post may exceed. */
function limitWarnings(post: PostDraft, links: PlacedLink[]): Issue[] {
	const opened = new Map(links.map(({ url, found }) => [url, found?.media]));
	return photoWarnings(post, opened).map(({ field, message }) => ({
		field: labelOf(field),
		message,
	}));
}

/** What the photo platform may object to in the files of a post, and in those to which its links lead. */
function mediaWarnings({ type }: PostDraft, files: PlacedFile[], links: PlacedLink[]): Issue[] {
	const placed = ({ field, place }: Place, messages: string[]) =>
		messages.map((message) => ({ field, message: `${place}${message}` }));
	const isCover = ({ field }: Place) => field === labels.thumbnail;
	return [
		...files.flatMap((file) => placed(file, fileWarnings(file.file, type, isCover(file)))),
		...links.flatMap((link) => {
			const { url, found = {} } = link;
			const advice = shareAdvice(url) ?? [];
			return placed(link, [advice, fileWarnings(found, type, isCover(link))].flat());
		}),
	];
}

/** The ID of an account. If only listed accounts can be used, the value may be a listed name. */
function accountIdOf(
	issues: PostIssues,
	given: string,
	{ listedAccounts, isTool = false }: PostContext,
): string {
	if (!listedAccounts) return given;
	const found = findAccount(listedAccounts, given, isTool);
	if ('id' in found) return found.id;
	issues.problem('social_account_id', found.issue);
	return given;
}

/** The entries of a list, and how messages name each of them. */
interface Rows {
	entries: unknown[];
	names: string[];
}

/** Joins the entries of all rows. A row of the panel may return several entries, or none. */
function joinRows(rows: unknown[][]): Rows {
	const names = rows.flatMap((entries, row) =>
		entries.map((_, entry) => `row ${row + 1}${entries.length > 1 ? `, entry ${entry + 1}` : ''}`),
	);
	return { entries: rows.flat(), names };
}

/** The entries of Media. A row may return a list, but a list inside it stays one, to be reported. */
function mediaRowsOf(value: unknown, context: PostContext): Rows {
	const { mediaUrls: raw } = context.raw;
	if (!Array.isArray(value) || typeof raw === 'string') {
		const entries = readLines(value, 1).flatMap((entry) => withFiles(entry, raw, context));
		return joinRows(entries.map((entry) => [entry]));
	}
	const rawRows = Array.isArray(raw) ? (raw as unknown[]) : [];
	return joinRows(
		value.map((row: unknown, index) =>
			readLines([row], 2, [value]).flatMap((entry) => withFiles(entry, rawRows[index], context)),
		),
	);
}

/**
 * An entry of Media, where files take the place of what n8n gives for them and of their names.
 *
 * @param raw the entry as it is stored in the node
 */
function withFiles(entry: unknown, raw: unknown, { item, isAttached }: PostContext): unknown[] {
	const inJson = isAttached ? {} : item?.json;
	const named =
		typeof entry === 'string'
			? (ownValue(item?.binary, entry) ?? ownValue(inJson, entry) ?? entry)
			: entry;
	const isAll = isObject(named) && !isBinaryFile(named);
	const files = isAll ? Object.values(named) : [named];
	// The JSON of an item may come from anyone, and n8n lets a node read every file whose ID it knows.
	const isOwn = ({ id }: BinaryFile) => !id || !isAttached || isAttached(id, String(raw));
	const areFiles = files.length > 0 && files.every((file) => isBinaryFile(file) && isOwn(file));
	if (!areFiles) return [entry];
	return (files as BinaryFile[]).map((file) => new MediaFile(withContent(file, item)));
}

function ownValue(object: object | undefined, name: string): unknown {
	return object && Object.hasOwn(object, name) ? object[name as keyof object] : undefined;
}

/** Expressions leave out the content of a file that n8n does not store. */
function withContent(file: BinaryFile, item: PostContext['item']): BinaryFile {
	if (file.id || file.data) return file;
	const isSame = (other: object) =>
		Object.entries(file).every(([name, value]) => (other as typeof file)[name as 'id'] === value);
	const [found, another] = Object.values(item?.binary ?? {}).filter(isSame);
	return found && !another ? found : file;
}

/** The files and the links of a post, with what a message says about their place. */
function mediaOf(
	draft: { media_urls: unknown; thumbnail: unknown },
	names: string[],
): { files: PlacedFile[]; links: PlacedLink[] } {
	const rows = Array.isArray(draft.media_urls) ? (draft.media_urls as unknown[]) : [];
	const placed = [
		...rows.map((entry, row) => ({ entry, field: labels.media_urls, row: `${names[row]} ` })),
		{ entry: draft.thumbnail, field: labels.thumbnail, row: '' },
	];
	return {
		files: placed.flatMap(({ entry, field, row }) =>
			entry instanceof MediaFile
				? { file: entry, field, place: `${row}(${quote(entry.name)}) ` }
				: [],
		),
		links: placed.flatMap(({ entry, field, row }) =>
			typeof entry === 'string' ? { url: entry, field, place: `${row}(${quote(entry)}) ` } : [],
		),
	};
}

/** A value, or undefined if it is empty. */
function given(value: unknown): unknown {
	return isNothing(value) ? undefined : value;
}

/** A list, or undefined if it is empty. */
function givenList(value: unknown): unknown {
	return Array.isArray(value) && value.length === 0 ? undefined : given(value);
}

/** The names of fields as they are in the request. */
function wireNames(shape: object, names: FieldNames): string[] {
	return Object.keys(shape).map((name) => (names as Record<string, string>)[name] ?? name);
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
	if (time.note) issues.warning('post_date', time.note);
	const passed = pastTime(time.at.toMillis(), toPostDate(time.at), timezone, now.getTime());
	if (passed) issues.problems.push(passed);
	return time.at;
}

function notATime(value: unknown, timezone: string): string {
	if (!isNothing(value) && readPublishTime(value, 'UTC')) {
		return `(${quote(value)}) has no offset, and the workflow's time zone '${timezone}' is not known; choose another in the workflow's settings, or include an offset, such as 2026-12-31T18:00:00+02:00`;
	}
	if (hasAmbiguousZone(value)) {
		return `(${quote(value)}) ends with letters that do not name one time zone; use an offset, such as 2026-12-31T18:00:00+02:00`;
	}
	const what = isNothing(value) ? 'is empty' : `(${quote(value)}) is not a date and time`;
	return `${what}; use a format like 2026-12-31T18:00:00 or 2026-12-31T18:00:00+02:00, or set 'Publish Time' to Now`;
}

/** Reads the usernames of collaborators. An expression may return an empty row. */
function collaboratorsOf(issues: PostIssues, value: unknown): Rows {
	const rows = Array.isArray(value)
		? value.map((row) => readLines([row], MAX_DEPTH, [value]))
		: readLines(value).map((name) => [name]);
	const { entries, names } = joinRows(rows);
	entries.forEach((name, index) => {
		if (name === '') issues.warning('collaborators', `${names[index]} is empty; ${NOT_SENT}`);
	});
	if (entries.length === 0 && givenList(value) !== undefined) {
		issues.warning('collaborators', `has no entry; ${NOT_SENT}`);
	}
	const withoutAt = (name: unknown) => (typeof name === 'string' ? name.replace(/^@/, '') : name);
	const isFilled = (_: unknown, index: number) => entries[index] !== '';
	return { entries: entries.filter(isFilled).map(withoutAt), names: names.filter(isFilled) };
}

/**
 * Reads the trial settings, which are rows or JSON, but not both. The format of a setting is an
 * assumption, because the platform's interface does not show it.
 */
function trialSettingsOf(
	issues: PostIssues,
	{ trialSettings, trialSettingsJson }: Record<string, unknown>,
): unknown {
	const rows = trialRowsOf(issues, toJson(trialSettings));
	const json = givenList(toJson(trialSettingsJson));
	if (rows.length > 0 && json !== undefined) {
		issues.problem('trial_params', 'are given both as rows and as JSON; use only one of them');
	}
	if (rows.length > 0) {
		return issues.toJsonValue(
			'trial_params',
			rows.map((row, index) => trialSettingOf(issues, row, index)),
		);
	}
	if (json === undefined || Array.isArray(json)) {
		return json && issues.toJsonValue('trialSettingsJson', json);
	}
	issues.problem('trialSettingsJson', 'is not a list of settings');
	return undefined;
}

/** Reads the rows of the trial settings. A single row may come without a list around it. */
function trialRowsOf(issues: PostIssues, typed: unknown): unknown[] {
	if (isNothing(typed)) return [];
	const { setting, ...others } = isObject(typed) ? typed : {};
	if (!isObject(typed) || Object.keys(others).length > 0) {
		issues.problem(
			'trial_params',
			'is not a list of rows such as {"setting": [{"graduationStrategy": "MANUAL"}]}; put other settings into \'Trial Settings (JSON)\'',
		);
	} else if (isNothing(setting) && 'setting' in typed) {
		issues.warning('trial_params', `has no row; ${NOT_SENT}`);
	}
	return isNothing(setting) ? [] : [setting].flat();
}

function trialSettingOf(issues: PostIssues, row: unknown, index: number): object {
	const { graduationStrategy } = Object(row) as { graduationStrategy?: unknown };
	const other = Object.keys(Object(row) as object).find((name) => name !== 'graduationStrategy');
	if (isNothing(graduationStrategy)) {
		issues.problem('trial_params', `row ${index + 1} has no Graduation; choose one`);
	} else if (typeof graduationStrategy !== 'string') {
		issues.problem('trial_params', `row ${index + 1} has a Graduation that is not text`);
	} else if (other !== undefined) {
		const what = `row ${index + 1} contains '${quote(other)}', but can set only Graduation`;
		issues.problem('trial_params', `${what}; use 'Trial Settings (JSON)' for other settings`);
	}
	return { graduation_strategy: graduationStrategy };
}

/**
 * Reads the entries of a field that takes a list: rows of text with one entry per line, an array
 * from an expression, objects with a `url`, or a JSON array as text. Commas do not separate
 * entries, because URLs may contain them. Blank lines are dropped. An empty row becomes empty text,
 * and a number becomes its digits. All other values are kept, so that the check can report them.
 *
 * @param depth how many lists may be inside each other
 * @param within the lists and objects around the value, to detect a list that contains itself
 */
function readLines(value: unknown, depth = MAX_DEPTH, within: unknown[] = []): unknown[] {
	if (isNothing(value)) return [];
	if (within.length > MAX_DEPTH || within.includes(value)) return [value];
	if (Array.isArray(value) && depth === 0) return [value];
	const readEntry = (entry: unknown): unknown[] => {
		const lines = readLines(entry, Array.isArray(value) ? depth - 1 : depth, [...within, value]);
		return lines.length > 0 || Array.isArray(entry) ? lines : [''];
	};
	if (Array.isArray(value)) return value.flatMap(readEntry);
	if (typeof value === 'object' && value !== null && 'url' in value) return readEntry(value.url);
	if (typeof value !== 'string') return [toText(value)];
	const list = /^\s*\[/.test(value) ? toJson(value) : undefined;
	if (Array.isArray(list)) return readLines(list, depth, [...within, value]);
	return value
		.split(/\r\n|\r|\n/)
		.map((line) => line.trim())
		.filter((line) => line !== '');
}

/** Collects the issues of a post. A field that has a value is never left out without an issue. */
class PostIssues extends Issues<LabelledField> {
	constructor(private readonly raw: PostContext['raw']) {
		super(labels);
	}

	/**
	 * Checks a field that only the user may leave out. n8n returns null for an expression that
	 * throws, and a post must not lose its text because of that.
	 *
	 * @param advice what to do instead of correcting the expression
	 */
	checkGiven(name: string, field: LabelledField, value: unknown, advice: string): void {
		if (!isNothing(value) || !this.isExpression(name)) return;
		if (value === '') this.warning(field, HOLDS_NOTHING);
		else this.problem(field, `${NO_VALUE}; correct it, or ${advice}`);
	}

	/**
	 * The fields of a collection. An expression may return the collection as an object or as JSON
	 * text.
	 */
	entriesOf(name: 'additionalFields' | 'exclusive', value: unknown): Record<string, unknown> {
		if (isNothing(value)) {
			if (this.isExpression(name)) this.warning(name, HOLDS_NOTHING);
			return {};
		}
		const { options = [] } = postFields.find((field) => field.name === name)!;
		const fields = options as INodeProperties[];
		const names = fields.map((field) => field.name);
		const entries = toJson(value);
		if (!isObject(entries)) {
			this.problem(name, `is not an object such as {"${names[0]}": …}`);
			return {};
		}
		for (const [entry, entryValue] of Object.entries(entries)) {
			const field = fields.find((one) => one.name === entry);
			if (givenList(field?.type === 'string' ? entryValue : toJson(entryValue)) === undefined) {
				const isLeftOut = field !== undefined && this.isExpression(name, entry);
				if (isLeftOut) this.warnings.push({ field: field.displayName, message: HOLDS_NOTHING });
			} else if (field === undefined) {
				const what = `contains '${quote(entry)}', which is not one of its fields`;
				this.problem(name, `${what} (${names.join(', ')})`);
			}
		}
		return entries;
	}

	private isExpression(name: string, entry?: string): boolean {
		const stored = this.raw[name];
		return holdsExpression(entry !== undefined && isObject(stored) ? stored[entry] : stored);
	}
}
