import { z } from 'zod/v4';
import { CHECK_BASE_URL, readAnswer, type Answer, type HttpAnswer } from './answer';
import type { Envelope } from './envelope';
import type { FieldNames } from './fieldNames';
import { notText } from './issue';

const WEB_ADDRESS = /^https?:\/\/[^\s]+$/i;

const text = z
	.string({ error: ({ input }) => noText(input) })
	.refine((value) => value.isWellFormed(), 'contains half of a character (a lone surrogate)');

/** A string of at most `max` characters. A character is a code point, as users count them. */
const upTo = (max: number) =>
	text.refine((value) => [...value].length <= max, `is longer than ${max} characters`);

function noText(input: unknown): string {
	if (typeof input !== 'number') return notText(input);
	return Number.isFinite(input)
		? 'is a number that has lost some of its digits; give it as text'
		: 'is not a number that can be written out';
}

const flag = z.boolean('must be true or false');

const isWebAddress = (url: string) => WEB_ADDRESS.test(url) && URL.canParse(url);

const mediaUrl = upTo(1000)
	.refine((value) => value !== '', 'is empty')
	.refine(
		(url) => url === '' || isWebAddress(url),
		'is not a valid link; it must start with https:// or http:// and contain no spaces',
	);

/** Options of the photo platform (platform interface, "exclusive"). Unknown options are kept. */
export const exclusiveSchema = z.looseObject({
	alt_text: text.optional(),
	share_to_feed: flag.optional(),
	auto_fit_image: flag.optional(),
	/** Assumed name. Milliseconds into the video. */
	thumbnail_offset: z
		.int('is not a whole number of milliseconds')
		.min(0, 'must be at least 0')
		.optional(),
	/** Assumed name. */
	collaborators: z
		.array(
			upTo(128).refine((value) => value !== '', 'is empty'),
			'is not a list',
		)
		.optional(),
	/** Assumed name. */
	auto_crop_image: flag.optional(),
	/** Assumed name. */
	location_id: upTo(128).optional(),
	/** Assumed name. Any item is accepted, because the shape of an item is not shown. */
	trial_params: z.array(z.unknown(), 'is not a list of settings').optional(),
});

/** Body of the create-post request (platform interface, "Create a post"), bounds as in "Limits". */
export const postRequestSchema = z.looseObject({
	social_account_id: upTo(128).refine((value) => value.trim() !== '', 'is empty'),
	/** ISO 8601 with an offset. Without it the post is published at once. */
	post_date: upTo(64).optional(),
	title: upTo(255).optional(),
	type: upTo(64).optional(),
	text: text
		.refine(
			(value) => value.trim() !== '',
			'contains only spaces or line breaks; leave it empty to post without text',
		)
		.optional(),
	media_urls: z.array(mediaUrl, 'is not a list').optional(),
	/** Assumed name. URL of the video's cover image. */
	thumbnail: mediaUrl.optional(),
	exclusive: exclusiveSchema.optional(),
});

/** A request that lacks the fields that could not be read. */
export type PostDraft = Partial<z.infer<typeof postRequestSchema>>;

/**
 * The action record of an accepted post (platform interface, "Social action result"). The interface does
 * not show how its three variants differ, so any object is accepted.
 */
const postResultSchema = z.looseObject({});

/** Reads the response to a post. A response that reports success has to hold the action record. */
export function readPostAnswer(answer: HttpAnswer, secrets: readonly string[]): Answer<Envelope> {
	const read = readAnswer(answer, secrets);
	if (read.kind !== 'accepted' || postResultSchema.safeParse(read.value.data).success) return read;
	const reason = 'the response reports success, but contains no result';
	return { kind: 'unknown', status: answer.status, reason, advice: CHECK_BASE_URL };
}

/** Leaves out fields without a value, and replaces assumed names by those that the credential sets. */
function rename(fields: Record<string, unknown>, names: FieldNames): Record<string, unknown> {
	const wireNames = new Map(Object.entries(names));
	return Object.fromEntries<unknown>(
		Object.entries(fields)
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => [wireNames.get(name) ?? name, value]),
	);
}

/** Fields and options that the interface does not list. They are sent unchanged, after the others. */
interface OtherFields {
	body: Record<string, unknown>;
	exclusive: Record<string, unknown>;
}

/** The request body as it is sent. An `exclusive` without options is left out. */
export function toWire(
	post: PostDraft,
	names: FieldNames,
	others: OtherFields,
): Record<string, unknown> {
	const options = { ...rename(post.exclusive ?? {}, names), ...others.exclusive };
	const exclusive = Object.keys(options).length > 0 ? options : undefined;
	return { ...rename({ ...post, exclusive }, names), ...others.body };
}
