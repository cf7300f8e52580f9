import { z } from 'zod/v4';
import { CHECK_BASE_URL, readAnswer, type Answer, type HttpAnswer } from '../platform/answer';
import type { Envelope } from '../platform/envelope';
import type { FieldNames } from '../platform/fieldNames';
import { flag, text } from '../platform/issue';
import { MediaFile } from './media/formats';

const WEB_ADDRESS = /^https?:\/\/[^\s]+$/i;

/** Whether a text is too long. Characters are counted as code points, which is how users count them. */
export const isLonger = (value: string, max: number) =>
	value.length > max && [...value.slice(0, 2 * max + 1)].length > max;

const upTo = (max: number) =>
	text.refine((value) => !isLonger(value, max), {
		error: `is longer than ${max} characters`,
		abort: true,
	});

/** Maximum number of entries of a list that is read. The photo platform accepts fewer. */
export const MAX_ENTRIES = 100;

const TOO_MANY = `has more than ${MAX_ENTRIES} entries`;

/** Whether text is a link that can be posted. */
export const isWebAddress = (url: string) => WEB_ADDRESS.test(url) && URL.canParse(url);

const NO_MEDIA =
	'is neither a link nor a file; enter for example {{ $json.url }} or {{ $binary.data }}';

const mediaUrl = upTo(1000)
	.refine(
		(value) => value !== '',
		'is empty, or its expression returns nothing for this item; enter a link or a file, or remove the row',
	)
	.refine((url) => url === '' || isWebAddress(url), {
		error: ({ input }) => linkIssue(String(input)),
	});

function linkIssue(value: string): string {
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

/**
 * The schema of the photo platform's options (platform interface, "exclusive").
 */
export const exclusiveSchema = z.object({
	alt_text: text.optional(),
	share_to_feed: flag.optional(),
	auto_fit_image: flag.optional(),
	/** Assumed name. The value is in milliseconds from the start of the video. */
	thumbnail_offset: z
		.int('is not a whole number of milliseconds')
		.min(0, 'must be at least 0')
		.optional(),
	/** Assumed field name. */
	collaborators: z
		.array(
			upTo(128).refine((value) => value !== '', 'is empty'),
			'is not a list',
		)
		.max(MAX_ENTRIES, TOO_MANY)
		.optional(),
	/** Assumed field name. */
	auto_crop_image: flag.optional(),
	/** Assumed field name. */
	location_id: upTo(128).optional(),
	/**
	 * Assumed field name. Any item is accepted, because the interface does not show the format of an
	 * item.
	 */
	trial_params: z.array(z.unknown(), 'is not a list of settings').optional(),
});

/**
 * The schema of the create-post request (platform interface, "Create a post"), with the bounds in
 * "Limits".
 */
export const postRequestSchema = z.object({
	social_account_id: upTo(128).refine((value) => value.trim() !== '', 'is empty'),
	/** ISO 8601 time with an offset. Without this field, the post is published at once. */
	post_date: upTo(64).optional(),
	title: upTo(255).optional(),
	type: upTo(64).optional(),
	text: text
		.refine(
			(value) => value.trim() !== '',
			'contains only spaces or line breaks; leave it empty to post without text',
		)
		.optional(),
	media_urls: z
		.array(media('is a list inside a list; return one list'), 'is not a list')
		.max(MAX_ENTRIES, TOO_MANY)
		.optional(),
	/** Assumed field name. The value is the URL of the video's cover image. */
	thumbnail: media('is a list; enter one link or file').optional(),
});

/** A request without the fields that could not be read. */
export type PostDraft = Partial<z.infer<typeof postRequestSchema>> & {
	exclusive?: Partial<z.infer<typeof exclusiveSchema>>;
};

/**
 * The schema of the action record of an accepted post (platform interface, "Social action result").
 * Any object is accepted, because the interface does not show how its three variants differ.
 */
const postResultSchema = z.looseObject({});

/**
 * Reads the response to a post. If the response reports success, it must contain the action record.
 */
export function readPostAnswer(answer: HttpAnswer, secrets: readonly string[]): Answer<Envelope> {
	const read = readAnswer(answer, secrets);
	if (read.kind !== 'accepted' || postResultSchema.safeParse(read.value.data).success) return read;
	const reason = 'the response reports success, but contains no result';
	return { kind: 'unknown', status: answer.status, reason, advice: CHECK_BASE_URL };
}

/** Removes fields without a value, and replaces assumed names with the names from the credential. */
function rename(fields: Record<string, unknown>, names: FieldNames): Record<string, unknown> {
	const wireNames = new Map(Object.entries(names));
	return Object.fromEntries<unknown>(
		Object.entries(fields)
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => [wireNames.get(name) ?? name, value]),
	);
}

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

/** Creates the request body. If `exclusive` contains no options, it is left out. */
export function toWire(post: PostDraft, names: FieldNames): Record<string, unknown> {
	const options = rename(post.exclusive ?? {}, names);
	const exclusive = Object.keys(options).length > 0 ? options : undefined;
	return rename({ ...post, exclusive }, names);
}
