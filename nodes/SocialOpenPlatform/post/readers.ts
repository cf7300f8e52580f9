import { z } from 'zod/v4';
import {
	boundedInteger,
	check,
	describeRow,
	flag,
	fromJson,
	holdsExpression,
	isLonger,
	isNothing,
	MAX_TEXT,
	mistakeIn,
	NOT_SENT,
	quote,
	text,
	tooLong,
	toText,
} from '../items/values';
import { trimInvisible } from '../platform/settings';
import { captionOf } from './caption';
import { formatOfLink, isBinaryFile, linkIssue, MediaFile, type FileFacts } from './media/formats';

/** The facts that are needed to read a post's fields. */
export interface ReadingContext {
	/** The item's parameters, including those in *Post Options*. */
	parameters: Readonly<Record<string, unknown>>;
	/** The current Unix time in milliseconds. */
	now: number;
	/** IANA name of the workflow's time zone, which applies to times without an offset. */
	timezone: string;
	/** Finds an account by its ID or name. */
	findAccount: (given: string) => { id: string } | { issue: string };
	/** The input item's files by name, such as `data`. */
	binary?: Readonly<Record<string, unknown>>;
}

/** A link or a file, with its place in a field. */
export interface PlacedMedia {
	/** The start of messages about this file: its row in a list, and its link or name. */
	place: string;
	source: string | MediaFile;
	/**
	 * The facts that are known about the file. For a link that was not opened, they come from its
	 * file extension.
	 */
	facts?: FileFacts;
}

/** The result of reading a field. */
export interface Reading {
	/** The value that was read. Without a value, the field is not sent. */
	value?: unknown;
	/** The links and files that can be sent. */
	media?: PlacedMedia[];
	/** The reason why the post cannot be sent. */
	issue?: string;
	warnings?: string[];
}

/**
 * Reads and checks the value of a field. A value that cannot be sent is reported as an issue or a
 * warning.
 *
 * @param raw the field as it is stored in the node, with its expressions
 */
export type FieldReader = (given: unknown, context: ReadingContext, raw: unknown) => Reading;

/** The field values of a post that could be read, by their default names in the request. */
export interface PostValues {
	social_account_id?: string;
	post_date?: string;
	title?: string;
	type?: string;
	text?: string;
	media_urls?: Array<string | MediaFile>;
	thumbnail?: string | MediaFile;
	alt_text?: string;
	share_to_feed?: boolean;
	auto_fit_image?: boolean;
	thumbnail_offset?: number;
	collaborators?: string[];
	auto_crop_image?: boolean;
	location_id?: string;
	trial_params?: unknown[];
}

interface TextReading extends Reading {
	value?: string;
}

/** Reads a string of limited length. A number is read as the string of its digits. */
export function readText(given: unknown, max = MAX_TEXT): TextReading {
	if (isNothing(given)) return {};
	const { value, issue } = check(text, toText(given));
	const isTooLong = value !== undefined && isLonger(value, max);
	return isTooLong ? { issue: tooLong(max) } : { value, issue };
}

export const readSwitch: FieldReader = (given) => (isNothing(given) ? {} : check(flag, given));

/** Reads an account by its ID, or by its name in the credential. */
export function readAccount(
	given: unknown,
	{ findAccount }: Pick<ReadingContext, 'findAccount'>,
): TextReading {
	const { value = '', issue = 'is empty' } = readText(given, 128);
	const account = trimInvisible(value);
	if (account === '') return { issue };
	const found = findAccount(account);
	return 'id' in found ? { value: found.id } : { value: account, issue: found.issue };
}

/**
 * Reads the text of a post, and adds the hashtags. If a model provides the value, an empty text is
 * reported as an issue.
 */
export const readCaption: FieldReader = (given, { parameters }, raw) => {
	if (given === '' && String(raw).includes('$fromAI'))
		return { issue: 'is empty; provide a caption' };
	const { textFormat, hashtags, shortenText } = parameters;
	const tags = readHashtags(hashtags).value;
	return toPlainText(given, raw, { textFormat, hashtags: tags, shortenText });
};

/** Creates a reader for a text other than the caption, to which *Text Format* also applies. */
export const plainText =
	(max?: number): FieldReader =>
	(given, { parameters: { textFormat } }, raw) =>
		toPlainText(given, raw, { textFormat }, max);

/** Reads a text, and applies its format and the other options. */
function toPlainText(
	given: unknown,
	raw: unknown,
	options: Record<string, unknown>,
	max?: number,
): Reading {
	const { value: source = '', issue = mistakeIn(source, holdsExpression(raw)) } = readText(given);
	if (issue) return { issue };
	const { value, warnings } = captionOf(source, options);
	if (source && !value.trim()) {
		return { issue: 'contains only spaces or markup' };
	}
	return { ...readText(value, max), warnings };
}

/** Reads hashtags from a list or a string. They are sent as part of the post's text. */
export function readHashtags(given: unknown): Reading {
	if (!Array.isArray(given)) return readText(given);
	return readRows(rowsOf(given), (row) => readText(row, MAX_ROW));
}

/** Creates a reader for a choice that is not a field of the request. */
export const oneOf =
	(choices: unknown[], issue: string): FieldReader =>
	(given) =>
		choices.includes(given) ? {} : { issue };

/** Reads the trial setting in an assumed format, which the platform's interface does not show. */
export const readTrial: FieldReader = (given) => {
	if (isNothing(given) || given === 'OFF') return {};
	if (given === 'MANUAL' || given === 'SS_PERFORMANCE') {
		return { value: [{ graduation_strategy: given }] };
	}
	return {
		issue: "must be OFF, MANUAL or SS_PERFORMANCE; for other settings, use 'Other Fields (JSON)'",
	};
};

export const readMilliseconds: FieldReader = (given) =>
	isNothing(given)
		? {}
		: check(boundedInteger('a whole number of milliseconds', 0, Infinity), given);

/** A row of a list field, or one entry of a row that is a list. */
interface ListRow {
	value: unknown;
	/** The row's name in messages. */
	name: string;
}

/** Maximum number of entries in a list field. The photo platform accepts fewer. */
const MAX_ROWS = 100;

/** Maximum length of a link or a hashtag, in characters. */
const MAX_ROW = 1000;

/** Reads usernames, with or without @. */
export const readUsernames: FieldReader = (given) =>
	readRows(rowsOf(given), (row) => {
		const { value, issue } = readText(row, 128);
		return { value: value?.replace(/^@/, '') || undefined, issue };
	});

/** Reads a list of links and files. */
export const readMediaList: FieldReader = (given, { binary }, raw) =>
	readRows(rowsOf(given, raw, binary), readSource);

/** Reads one link or file. */
export const readMedium: FieldReader = (given, { binary }, raw) => {
	const [row, ...more] = rowsOf(given, raw, binary);
	if (more.length > 0) return { issue: 'is a list; enter one link or file' };
	return row ? readSource(row.value) : {};
};

/**
 * Reads the rows of a list field. A row may be a list or the JSON of a list, because an expression
 * can return one. A row without a value is read as an empty string, so that it is reported.
 */
function rowsOf(given: unknown, raw?: unknown, binary?: ReadingContext['binary']): ListRow[] {
	if (isNothing(given)) return [];
	const rows = boundedList(given).flatMap((row, index) => {
		const isJson = typeof row === 'string' && row.length <= MAX_TEXT && /^\s*\[/.test(row);
		const found = boundedList(isJson ? fromJson(row) : row);
		const values = found.length > 0 ? found : [''];
		return values.map((one) => ({
			value: readEntry(one, Array.isArray(raw) ? raw[index] : raw, binary),
			name: `row ${index + 1}`,
		}));
	});
	return boundedList(rows);
}

/**
 * Returns the entries of a list, or a single value as a list. A list that is too long keeps one
 * entry more than allowed, so that its length is reported.
 */
function boundedList<T>(value: T | T[]): T[] {
	return Array.isArray(value) ? value.slice(0, MAX_ROWS + 1) : [value];
}

/**
 * Matches an expression that reads binary data. Other expressions may return data that anyone has
 * sent.
 */
const READS_BINARY = /^=.*[$.]binary\b/s;

/** Matches an expression that may read a file from JSON data, which anyone may have sent. */
const READS_JSON = /\bjson\b.*\.binary\b/s;

/**
 * Reads an entry, which may be a file. Anyone may have sent the item's data, so only the node's own
 * settings can choose a file: by its name in the item, or by an expression that reads binary data.
 *
 * @param raw the row as it is stored in the node
 */
function readEntry(given: unknown, raw: unknown, binary: ReadingContext['binary'] = {}): unknown {
	const entry = typeof given === 'string' ? trimInvisible(given) : (toText(given) ?? '');
	const isName = typeof entry === 'string';
	const file = isName ? binary[entry] : entry;
	const stored = String(raw);
	const mayBeFile = isName
		? !holdsExpression(raw)
		: READS_BINARY.test(stored) && !READS_JSON.test(stored);
	return mayBeFile && isBinaryFile(file) ? new MediaFile(file) : entry;
}

/**
 * Reads each row of a list. An empty list is not sent. A row for which `read` returns neither a
 * value nor an issue is left out with a warning.
 */
function readRows(rows: ListRow[], read: (value: unknown) => Reading): Reading {
	if (rows.length > MAX_ROWS) return { issue: `has more than ${MAX_ROWS} entries` };
	const readings = rows.map(({ name, value: given }) => ({ name, given, ...read(given) }));
	const media = readings.flatMap((row) =>
		(row.media ?? []).map((one) => ({ ...one, place: `${row.name} ${one.place}` })),
	);
	const first = readings.find(({ issue }) => issue);
	if (first) return { media, issue: describeRow(first.name, first.given, first.issue!) };
	const values = readings.flatMap(({ value }) => value ?? []);
	const empty = readings.filter(({ value }) => value === undefined);
	return {
		media,
		value: values.length > 0 ? values : undefined,
		warnings: empty.map(({ name }) => `${name} is empty; ${NOT_SENT}`),
	};
}

/** Reads a link or a file. Files are checked later, and so are links if *Check Media* applies. */
function readSource(given: unknown): Reading {
	if (given instanceof MediaFile) {
		return { value: given, media: [{ place: `(${quote(given.name)}) `, source: given }] };
	}
	if (typeof given === 'object')
		return {
			issue:
				"is neither a link nor a file; enter for example {{ $json.url }} or {{ $binary.data }}, or {{ $('Node').item.binary.data }} without json before .binary",
		};
	const read = readText(given, MAX_ROW);
	const advice =
		read.issue === tooLong(MAX_ROW) ? '; download the file, and post it as a file' : '';
	if (read.issue) return { issue: read.issue + advice };
	// Feeds and web pages encode ampersands in links. An encoded link would lead to another address.
	const link = (read.value ?? '').replace(/&(?:amp|#0?38);/g, '&');
	const issue = linkIssue(link);
	if (issue) return { issue };
	const format = formatOfLink(link);
	const facts = format && { format };
	return { value: link, media: [{ place: `(${quote(link)}) `, source: link, facts }] };
}

/** Maximum length of a key, in characters. */
const MAX_KEY = 1000;

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
