import type { FieldNames } from '../../protocol/fieldNames';
import { photoWarnings } from '../../protocol/photoLimits';
import { exclusiveSchema, postRequestSchema, type PostDraft } from '../../protocol/post';
import { toWire } from '../../protocol/wire';
import { NOT_SENT } from '../../parameters/fieldReader';
import type { Remark } from '../../parameters/parameterError';
import { labelOf } from './labels';
import { readLines } from './lines';
import type { PostParameters } from './parameters';
import { PostReader, type RawParameters } from './postReader';
import { toPostDate } from './publishTime';
import { trialSettings } from './trialSettings';
import { isNothing, toFlag, toNumber, toText } from '../../parameters/values';

/** What the parameters are read against. */
export interface PostContext {
	now: Date;
	/** IANA name of the workflow's time zone, for naive times. */
	timezone: string;
	fieldNames: FieldNames;
	/** The node's parameters as they are stored: they tell which fields are expressions. */
	raw: RawParameters;
}

export interface PreparedPost {
	/** The body exactly as it is sent; with problems, as much of it as could be read. */
	body: Record<string, unknown>;
	/** Each would be refused: nothing may be sent. */
	problems: Remark[];
	/** Milliseconds since 1970 of `post_date`; undefined when the post is published at once. */
	publishAt?: number;
	/** What the photo platform may object to, and times that are not what they seem; on request. */
	warnings: () => Remark[];
}

const body = postRequestSchema.shape;
const options = exclusiveSchema.shape;

/** Names on the wire that a field of the node fills. */
function ownNames(shape: object, names: FieldNames): string[] {
	return Object.keys(shape).map((name) => (names as Record<string, string>)[name] ?? name);
}

const WITHOUT_TEXT = "leave the field empty or give empty text ('') to post without text";
const WITHOUT_MEDIA = 'leave the field empty to post without media';

const withoutAt = (name: unknown) => (typeof name === 'string' ? name.replace(/^@/, '') : name);

/** An expression may find nobody for one of the rows. */
function collaboratorsOf(reader: PostReader, given: unknown): unknown[] {
	const names = readLines(given);
	names.forEach((name, row) => {
		if (name === '') reader.warning('collaborators', `row ${row + 1} is empty; ${NOT_SENT}`);
	});
	const isLeftEmpty = isNothing(given) || (Array.isArray(given) && given.length === 0);
	if (names.length === 0 && !isLeftEmpty) {
		reader.warning('collaborators', `has no entry; ${NOT_SENT}`);
	}
	return names.filter((name) => name !== '').map(withoutAt);
}

/** Only the two known choices: a post meant for later must never go out now. */
function postDate(reader: PostReader, parameters: PostParameters, context: PostContext) {
	const { publishTime, publishAt } = parameters;
	if (publishTime === 'at') return reader.takeTime(publishAt, context.timezone, context.now);
	if (publishTime !== 'now') reader.problem('publishTime', "is neither 'now' nor 'at'");
	return undefined;
}

/**
 * Turns an item's parameters into the request body. Nothing is sent and nothing is thrown: every
 * problem of the item comes back at once, by the label of its field. Fields that were not set are not
 * in the body.
 */
export function preparePost(parameters: PostParameters, context: PostContext): PreparedPost {
	const reader = new PostReader(context.raw);
	const { fieldNames } = context;
	const more = reader.takeCollection('additionalFields', parameters.additionalFields);
	const exclusive = reader.takeCollection('exclusive', parameters.exclusive);
	const { contentType, text, mediaUrls } = parameters;
	reader.checkGiven('contentType', 'type', contentType, 'choose a type');
	reader.checkGiven('text', 'text', text, WITHOUT_TEXT);
	reader.checkGiven('mediaUrls', 'media_urls', mediaUrls, WITHOUT_MEDIA);
	const publishAt = postDate(reader, parameters, context);
	const post: PostDraft = {
		social_account_id: reader.take(
			'social_account_id',
			body.social_account_id,
			toText(parameters.socialAccountId),
		),
		post_date: publishAt && toPostDate(publishAt),
		title: reader.take('title', body.title, toText(more.title)),
		type: reader.take('type', body.type, toText(contentType)),
		text: reader.take('text', body.text, toText(text)),
		media_urls: reader.takeList('media_urls', body.media_urls, readLines(mediaUrls)),
		thumbnail: reader.take('thumbnail', body.thumbnail, toText(more.videoCoverImageUrl)),
		exclusive: {
			alt_text: reader.take('alt_text', options.alt_text, toText(exclusive.altText)),
			share_to_feed: reader.take(
				'share_to_feed',
				options.share_to_feed,
				toFlag(exclusive.shareToFeed),
			),
			auto_fit_image: reader.take(
				'auto_fit_image',
				options.auto_fit_image,
				toFlag(exclusive.autoFitImage),
			),
			thumbnail_offset: reader.take(
				'thumbnail_offset',
				options.thumbnail_offset,
				toNumber(exclusive.videoCoverOffset),
			),
			collaborators: reader.takeList(
				'collaborators',
				options.collaborators,
				collaboratorsOf(reader, exclusive.collaborators),
			),
			auto_crop_image: reader.take(
				'auto_crop_image',
				options.auto_crop_image,
				toFlag(exclusive.autoCropImage),
			),
			location_id: reader.take('location_id', options.location_id, toText(exclusive.locationId)),
			trial_params: trialSettings(reader, exclusive),
		},
	};
	const free = {
		body: reader.takeFree(
			'additionalBodyFields',
			more.additionalBodyFields,
			ownNames(body, fieldNames),
		),
		exclusive: reader.takeFree(
			'additionalExclusiveOptions',
			exclusive.additionalExclusiveOptions,
			ownNames(options, fieldNames),
		),
	};
	const { problems } = reader;
	const warnings = () => {
		const limits = photoWarnings(post).map(({ field, message }) => ({
			field: labelOf(field),
			message,
		}));
		// Of a field with a problem, its problem is enough.
		const isRead = ({ field }: Remark) => !problems.some((problem) => problem.field === field);
		return [...reader.warnings, ...limits].filter(isRead);
	};
	return {
		body: toWire(post, fieldNames, free),
		problems,
		publishAt: publishAt?.toMillis(),
		warnings,
	};
}
