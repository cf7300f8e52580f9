import { z } from 'zod/v4';
import {
	CHECK_BASE_URL,
	readBusinessResponse,
	type Envelope,
	type ResponseReader,
} from '../platform/response';
import { isJsonObject } from '../platform/json';
import { failed } from '../platform/outcome';
import { text, toText } from '../items/values';
import { MediaFile } from './media/formats';

const WEB_ADDRESS = /^https?:\/\/[^\s]+$/i;

/** Whether a text is too long. Characters are counted as code points, which is how users count them. */
export const isLonger = (value: string, max: number) =>
	value.length > max && [...value.slice(0, 2 * max + 1)].length > max;

/** The schema of a text of limited length. A number counts as the text of its digits. */
export const upTo = (max: number) =>
	z.preprocess(
		toText,
		text.refine((value) => !isLonger(value, max), {
			error: `is longer than ${max} characters`,
			abort: true,
		}),
	);

/** The schema of the ID of an account. */
export const accountId = upTo(128).refine((value) => value.trim() !== '', 'is empty');

/** The schema of the text of a post. */
export const caption = z
	.preprocess(
		toText,
		text.refine(
			(value) => value.trim() !== '',
			'contains only spaces or line breaks; leave it empty to post without text',
		),
	)
	.optional();

/** The schema of the format of texts. */
export const textFormat = z
	.enum(['html', 'markdown', 'plain'], 'must be html, markdown or plain')
	.optional();

/** Maximum number of entries of a list that is read. The photo platform accepts fewer. */
export const MAX_ENTRIES = 100;

const TOO_MANY = `has more than ${MAX_ENTRIES} entries`;

/** Addresses that lead to a web page about a file, and what to enter instead. */
const sharePages: Array<[address: RegExp, advice: string]> = [
	[
		/^https?:\/\/(drive|docs)\.google\.com\/(file|open|drive|uc(?!.*[?&]export=download))\b/i,
		'is a Google Drive page; write https://drive.google.com/uc?export=download&id=… with the ID of the file, or download the file with the Google Drive node and post it as a file',
	],
	[
		/^https?:\/\/(www\.)?dropbox\.com\/(?!.*[?&](dl|raw)=1\b)/i,
		'is a Dropbox page; end the link with dl=1 in place of dl=0',
	],
	[
		/^https?:\/\/(1drv\.ms|onedrive\.live\.com|[\w-]+\.sharepoint\.com)(?!.*[?&/]download(=1\b|[.?]))\//i,
		'is a OneDrive page; add download=1 to the link, or download the file with the Microsoft OneDrive node and post it as a file',
	],
	[
		/^https?:\/\/(photos\.app\.goo\.gl|photos\.google\.com)\//i,
		'is a Google Photos page, which has no direct link; download the photo and post it as a file',
	],
];

/** The issue of a link to a share page; undefined for other links. */
const pageIssue = (link: string) => sharePages.find(([address]) => address.test(link))?.[1];

/** Whether text is a link that can be posted. */
export const isWebAddress = (url: string) =>
	WEB_ADDRESS.test(url) && URL.canParse(url) && !pageIssue(url);

const NO_MEDIA =
	"is neither a link nor a file; enter for example {{ $json.url }} or {{ $binary.data }}, or {{ $('Node').item.binary.data }} without json before .binary";

const mediaUrl = upTo(1000)
	.refine(
		(value) => value !== '',
		'is empty, or its expression returns nothing for this item; enter a link or a file, or remove the row',
	)
	.refine((url) => url === '' || isWebAddress(url), {
		error: ({ input }) => linkIssue(String(input)),
	});

function linkIssue(value: string) {
	const ofPage = pageIssue(value);
	if (ofPage) return ofPage;
	// n8n does not turn a row into an expression when a user enters {{ }}. A regular expression would
	// be slow for a text with many braces.
	const start = value.indexOf('{{');
	if (start >= 0 && value.includes('}}', start + 2)) {
		return 'is text, not an expression; point at it, and select Expression';
	}
	if (value.includes('[object Object]')) {
		return 'contains an object in place of text; for a file, remove everything before {{ and after }}';
	}
	return /^[\p{L}\p{N}_. -]+$/u.test(value)
		? 'is not a valid link or the name of a file; a link starts with https:// or http://, and an expression for a file looks like {{ $binary.data }}'
		: 'is not a valid link; it must start with https:// or http:// and contain no spaces';
}

/**
 * A link, or a file that gets one right before the post is sent.
 *
 * @param ofList the issue of a list
 */
const media = (ofList: string) =>
	z.custom<string | MediaFile>().check(({ value, issues }) => {
		if (value instanceof MediaFile) return;
		const isObject = typeof value === 'object' && value !== null;
		const found = isObject
			? [{ message: Array.isArray(value) ? ofList : NO_MEDIA }]
			: (mediaUrl.safeParse(value).error?.issues ?? []);
		for (const { message } of found) issues.push({ code: 'custom', input: value, message });
	});

/** The schema of a list of links and files. */
export const mediaList = z
	.array(media('is a list inside a list; return one list'), 'is not a list')
	.max(MAX_ENTRIES, TOO_MANY)
	.optional();

/** The schema of a single link or file. */
export const oneMedium = media('is a list; enter one link or file').optional();

/** The schema of a list of usernames. */
export const usernames = z
	.array(
		upTo(128).refine((value) => value !== '', 'is empty'),
		'is not a list',
	)
	.max(MAX_ENTRIES, TOO_MANY)
	.optional();

/** The schema of hashtags: a list, or one text. */
export const hashtags = z.preprocess((given) => [given].flat(), z.array(upTo(Infinity))).optional();

/** The values of a post by the names of the platform's interface, without those that could not be read. */
export interface PostValues {
	social_account_id?: string;
	post_date?: string;
	title?: string;
	type?: string;
	text?: string;
	media_urls?: Array<string | MediaFile>;
	thumbnail?: string | MediaFile;
	exclusive?: {
		alt_text?: string;
		share_to_feed?: boolean;
		auto_fit_image?: boolean;
		thumbnail_offset?: number;
		collaborators?: string[];
		auto_crop_image?: boolean;
		location_id?: string;
		trial_params?: unknown[];
	};
}

/** The names that the credential gives to fields, by their names in {@link PostValues}. */
export type FieldNames = Readonly<Record<string, string>>;

/**
 * Reads the response to a post. If the response reports success, it must contain the action record,
 * which is what the platform stores about the request, with its ID `action_sn` (platform interface, "Social action result"). Any object is accepted as one, because the interface
 * does not show how its three variants differ.
 */
export const readPostResponse: ResponseReader<Envelope> = (response, request) => {
	const read = readBusinessResponse(response, request);
	if (read.kind !== 'accepted' || isJsonObject(read.value.data)) return read;
	const reason = 'the response reports success, but contains no result';
	return failed.unclear(request, reason, CHECK_BASE_URL, response.status);
};

/** A request body in which each file is replaced. */
export function replaceFiles(
	body: Record<string, unknown>,
	replace: (file: MediaFile) => unknown,
): Record<string, unknown> {
	const entry = (value: unknown) => (value instanceof MediaFile ? replace(value) : value);
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [
			name,
			Array.isArray(value) ? value.map(entry) : entry(value),
		]),
	);
}

/** The fields in the order of the platform's interface. Others follow them. */
const ORDER = [
	...['social_account_id', 'post_date', 'title', 'type', 'text', 'media_urls', 'thumbnail'],
	...['alt_text', 'share_to_feed', 'auto_fit_image', 'thumbnail_offset', 'collaborators'],
	...['auto_crop_image', 'location_id', 'trial_params'],
];

const positionOf = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

/** Creates the request body: replaces the assumed names of fields, and leaves out an empty `exclusive`. */
export function toWire({ exclusive = {}, ...fields }: PostValues, names: FieldNames) {
	const rename = (all: object) =>
		Object.fromEntries(
			Object.entries(all)
				.sort(([a], [b]) => positionOf(a) - positionOf(b))
				.map(([name, value]) => [names[name] ?? name, value]),
		);
	const options = rename(exclusive);
	const isEmpty = Object.keys(options).length === 0;
	return { ...rename(fields), ...(!isEmpty && { exclusive: options }) };
}
