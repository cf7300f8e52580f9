import { isLonger } from '../../items/values';
import { isPrivate } from '../../platform/connection';
import { DIGITS_TAG, HASHTAG, MAX_CAPTION, MAX_HASHTAGS } from '../caption';
import type { PostValues } from '../readers';
import type { FileFacts, FoundMedia } from './formats';

const MAX_ALT_TEXT = 1000;
const MAX_MEDIA = 10;
const MAX_COLLABORATORS = 3;

const VIDEO_NAME = /\.(mp4|mov|m4v)$/i;
const IMAGE_NAME = /\.(jpe?g|png|gif|webp|heic|avif|bmp|tiff?|svg)$/i;
const OTHER_IMAGE_NAME = /\.(png|gif|webp|heic|avif|bmp|tiff?|svg)$/i;

const BYTES_PER_MB = 1024 * 1024;
const MAX_IMAGE_MB = 8;
const MAX_VIDEO_MB = 300;
const MAX_STORY_VIDEO_MB = 100;

/** The accepted aspect ratios, with a tolerance for rounding. */
const MIN_RATIO = 4 / 5 - 0.01;
const MAX_RATIO = 1.91 + 0.01;

const pathOf = (url: string) => new URL(url).pathname;

/**
 * Returns the time when a signed link of a storage service expires, in Unix milliseconds; NaN for
 * other links.
 */
function expiryOf(url: string) {
	const { searchParams } = new URL(url);
	const [name, seconds] =
		[...searchParams].find(([key]) => /^(X-(Amz|Goog)-Expires|se)$/i.test(key)) ?? [];
	if (!name) return NaN;
	// Azure signs a link, and names the time when it expires.
	if (name === 'se') return searchParams.has('sig') ? Date.parse(seconds ?? '') : NaN;
	const signedAt = searchParams.get(name.replace(/expires/i, 'Date')) ?? '';
	const iso = signedAt.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, '$1-$2-$3:$4:');
	return Date.parse(iso) + Number(seconds) * 1000;
}

/**
 * Checks a post against the publicly documented limits of the photo platform. A link that was not
 * opened is an image or a video by its extension.
 *
 * @param found the facts about the links and files
 * @param isLocal whether the platform is at a private address, so that it can reach others
 * @returns warnings, which do not prevent sending; their `name` is that of the field in the request
 */
export function photoWarnings(
	{ text = '', type, media_urls: media = [], post_date, ...values }: PostValues,
	found: FoundMedia,
	isLocal: boolean,
) {
	const { alt_text = '', collaborators = [] } = values;
	const { auto_fit_image, auto_crop_image, share_to_feed, trial_params } = values;
	const links = media.filter((entry) => typeof entry === 'string');
	const kinds = media.map((entry) => {
		const known = found.get(entry)?.media?.kind;
		if (known || typeof entry !== 'string') return known;
		const path = pathOf(entry);
		return VIDEO_NAME.test(path) ? 'video' : IMAGE_NAME.test(path) ? 'image' : undefined;
	});
	const hasVideo = kinds.includes('video');
	const hasImage = kinds.includes('image');
	const isReel = type === 'REEL';
	const isStory = type === 'STORY';
	const limits: Array<[isExceeded: unknown, name: string, message: string]> = [
		[
			isLonger(text, MAX_CAPTION),
			'text',
			`is longer than ${MAX_CAPTION} characters; the option 'Shorten Text' shortens it`,
		],
		[
			(text.match(HASHTAG)?.length ?? 0) > MAX_HASHTAGS,
			'text',
			`contains more than ${MAX_HASHTAGS} hashtags`,
		],
		[
			DIGITS_TAG.test(text),
			'text',
			'contains a hashtag without a letter, which the photo platform shows as text',
		],
		[media.length === 0, 'media_urls', 'is empty; the photo platform requires at least one'],
		[media.length > MAX_MEDIA, 'media_urls', `has more than ${MAX_MEDIA} entries`],
		[
			(isReel || isStory) && media.length > 1,
			'media_urls',
			'has several entries; a reel or story requires exactly one',
		],
		[isReel && hasImage, 'media_urls', 'contains an image; a reel requires a video'],
		[
			links.some((url) => !found.has(url) && OTHER_IMAGE_NAME.test(pathOf(url))),
			'media_urls',
			'contains an image that is not a JPEG; only JPEG is certain to be accepted',
		],
		[
			links.some((url) => expiryOf(url) < (Date.parse(post_date ?? '') || Date.now())),
			'media_urls',
			'contains a link that expires before the post is published; use one that is valid for longer, or post the file itself',
		],
		[
			links.some((url) => /[^\x20-\x7e]/.test(url)),
			'media_urls',
			'contains characters outside ASCII; percent-encode them',
		],
		[
			!isLocal && links.some(isPrivate),
			'media_urls',
			'contains an address that the platform cannot reach',
		],
		[isLonger(alt_text, MAX_ALT_TEXT), 'alt_text', `is longer than ${MAX_ALT_TEXT} characters`],
		[
			collaborators.length > MAX_COLLABORATORS,
			'collaborators',
			`has more than ${MAX_COLLABORATORS} entries`,
		],
		[
			collaborators.some((name) => /[^\w.]/.test(name)),
			'collaborators',
			'contains something other than letters, digits, dots and underscores; enter one username per row',
		],
		[
			auto_fit_image && auto_crop_image,
			'auto_fit_image',
			'cannot be combined with Auto-Crop Image',
		],
		[auto_fit_image && hasVideo, 'auto_fit_image', 'works only with images'],
		[auto_crop_image && hasVideo, 'auto_crop_image', 'works only with images'],
		[
			share_to_feed !== undefined && !isReel && (media.length > 1 || hasImage),
			'share_to_feed',
			'works only with a reel or a single video',
		],
		[trial_params !== undefined && !isReel, 'trial_params', 'works only with a reel'],
	];
	return limits.flatMap(([isExceeded, name, message]) => (isExceeded ? { name, message } : []));
}

/**
 * Returns the reasons why the photo platform cannot accept a file.
 *
 * @param type the type of the post
 * @param isCover whether the file is the cover image of a video
 */
export function fileIssues(
	{ issue, bytes = NaN, media }: FileFacts,
	type: unknown,
	isCover = false,
): string[] {
	if (issue) return [issue];
	if (bytes === 0) return ['is empty (0 bytes); check where it comes from'];
	if (isCover && media?.kind !== 'image') {
		return [`is ${media ? 'a video' : 'not an image'}; the cover must be an image`];
	}
	if (!media) {
		return ['is not an image or a video that can be posted; use JPEG, PNG, GIF, WebP or MP4'];
	}
	const maxVideo = type === 'STORY' ? MAX_STORY_VIDEO_MB : MAX_VIDEO_MB;
	const max = media.kind === 'image' ? MAX_IMAGE_MB : maxVideo;
	const size = Math.ceil((bytes / BYTES_PER_MB) * 10) / 10;
	return size > max ? [`is ${size} MB; the photo platform accepts at most ${max} MB`] : [];
}

/**
 * Returns warnings about a file that the photo platform may refuse. The parameters are those of
 * {@link fileIssues}.
 */
export function fileWarnings({ media }: FileFacts, type: unknown, isCover = false): string[] {
	const { kind, format, width = 1, height = 1 } = media ?? {};
	const ratio = width / height;
	const warnings: string[] = [];
	if (kind === 'image' && format !== 'JPEG') {
		warnings.push(`is ${format}; only JPEG is certain to be accepted`);
	}
	if (type === 'POST' && !isCover && (ratio < MIN_RATIO || ratio > MAX_RATIO)) {
		warnings.push(
			`is ${width} × ${height} pixels; the photo platform accepts aspect ratios from 4:5 to 1.91:1`,
		);
	}
	return warnings;
}
