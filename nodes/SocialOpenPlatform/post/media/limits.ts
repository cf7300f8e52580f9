import { DIGITS_TAG, HASHTAG, HTML, MAX_CAPTION, MAX_HASHTAGS } from '../caption';
import type { FileFacts, FoundMedia, Media } from './formats';
import { isLonger } from '../../items/values';
import type { PostValues } from '../readers';

const MAX_ALT_TEXT = 1000;
const MAX_MEDIA = 10;
const MAX_COLLABORATORS = 3;

const VIDEO = /\.(mp4|mov|m4v)$/i;
const IMAGE = /\.(jpe?g|png|gif|webp|heic|avif|bmp|tiff?|svg)$/i;
const OTHER_IMAGE = /\.(png|gif|webp|heic|avif|bmp|tiff?|svg)$/i;
const PRIVATE_NAME = /^[^.:]*$|\.(localhost|localdomain|local|internal|lan|svc|home\.arpa)$/;

/** Addresses that are not global (registries iana-ipv4-special-registry, iana-ipv6-address-space). */
const PRIVATE_ADDRESSES = [
	/^(0|10|127)(\.\d+){3}$/,
	/^(100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|198\.1[89])(\.\d+){2}$/,
	/^192\.0\.0\.\d+$/,
	/^(22[4-9]|2[3-5]\d)(\.\d+){3}$/,
	// All global addresses begin with 2 or 3. Those that begin with 2002 contain an IPv4 address.
	/^\[(?![23][\da-f]{3}:)/,
	/^\[2002:/,
	// Protocols such as Teredo (2001::/23) and documentation.
	/^\[2001:((1?[\da-f]{1,2})?:|db8:)/,
	// An IPv4 address at the end, after the mark of ISATAP (RFC 5214, section 6.1).
	/:5efe:[\da-f]+:[\da-f]+\]$/,
];

const HAS_HTML = "contains HTML, which people would see as it is; 'Text Format' HTML converts it";

const MB = 1024 * 1024;
const MAX_IMAGE_BYTES = 8 * MB;
const MAX_VIDEO_BYTES = 300 * MB;
const MAX_STORY_VIDEO_BYTES = 100 * MB;
const MIN_RATIO = 4 / 5;
const MAX_RATIO = 1.91;
const MIN_VIDEO_SECONDS = 3;
const MAX_REEL_SECONDS = 15 * 60;
const MAX_STORY_SECONDS = 60;

/** Whether only the machine or its network can reach a URL. */
export function isPrivate(url: string) {
	if (!URL.canParse(url)) return false;
	const host = new URL(url).hostname.replace(/\.$/, '');
	return PRIVATE_NAME.test(host) || PRIVATE_ADDRESSES.some((address) => address.test(host));
}

const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : url);

/**
 * Checks a post against the publicly documented limits of the photo platform. A link that was not
 * opened is an image or a video by its extension.
 *
 * @param found what is known about the links and files
 * @param isLocal whether the platform is at a private address, so that it can reach others
 * @returns warnings, which do not prevent sending; their `field` is its name in the request
 */
export function photoWarnings(
	{ text = '', type, media_urls: media = [], thumbnail, exclusive = {} }: PostValues,
	found: FoundMedia,
	isLocal = false,
) {
	const { alt_text = '', collaborators = [], location_id, thumbnail_offset } = exclusive;
	const { auto_fit_image, auto_crop_image, share_to_feed, trial_params } = exclusive;
	const links = media.filter((entry) => typeof entry === 'string');
	const hasAny = (kind: Media['kind'], extension: RegExp) =>
		media.some((entry) => {
			const known = found.get(entry)?.media;
			if (known) return known.kind === kind;
			return typeof entry === 'string' && extension.test(pathOf(entry));
		});
	const isOther = (url: string) => !found.get(url)?.media && OTHER_IMAGE.test(pathOf(url));
	const hasVideo = hasAny('video', VIDEO);
	const hasImage = hasAny('image', IMAGE);
	const isReel = type === 'REEL';
	const isStory = type === 'STORY';
	const limits: Array<[isExceeded: boolean, field: string, message: string]> = [
		[isLonger(text, MAX_CAPTION), 'text', `is longer than ${MAX_CAPTION} characters`],
		[
			(text.match(HASHTAG)?.length ?? 0) > MAX_HASHTAGS,
			'text',
			`contains more than ${MAX_HASHTAGS} hashtags`,
		],
		[
			text.includes('[object Object]'),
			'text',
			'contains [object Object], which n8n writes in place of an object; name one of its fields in the expression',
		],
		[HTML.test(text), 'text', HAS_HTML],
		[HTML.test(alt_text), 'alt_text', HAS_HTML],
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
			links.some(isOther),
			'media_urls',
			'contains an image that is not a JPEG; only JPEG is certain to be accepted',
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
			isStory && collaborators.length > 0,
			'collaborators',
			'is set; a story cannot have collaborators',
		],
		[
			collaborators.some((name) => /[^\w.]/.test(name)),
			'collaborators',
			'contains something other than letters, digits, dots and underscores; enter one username per row',
		],
		[isStory && location_id !== undefined, 'location_id', 'is set; a story cannot have a location'],
		[
			Boolean(auto_fit_image && auto_crop_image),
			'auto_fit_image',
			'cannot be combined with Auto-Crop Image',
		],
		[Boolean(auto_fit_image) && hasVideo, 'auto_fit_image', 'works only with images'],
		[Boolean(auto_crop_image) && hasVideo, 'auto_crop_image', 'works only with images'],
		[
			share_to_feed !== undefined && !isReel && (media.length > 1 || hasImage),
			'share_to_feed',
			'works only with a reel or a single video',
		],
		[trial_params !== undefined && !isReel, 'trial_params', 'works only with a reel'],
		[
			thumbnail_offset !== undefined && thumbnail !== undefined,
			'thumbnail_offset',
			'has no effect, because Video Cover Image is set',
		],
	];
	return limits.flatMap(([isExceeded, field, message]) => (isExceeded ? { field, message } : []));
}

const USE = 'use JPEG, PNG, GIF, WebP or MP4';

/**
 * Why the photo platform cannot accept a file that has been read; undefined if it may.
 *
 * @param type the type of the post
 * @param isCover whether the file is the cover image of a video
 */
export function fileIssue({ bytes, media }: FileFacts, type: unknown, isCover = false) {
	if (bytes === 0) return 'is empty (0 bytes); check where it comes from';
	if (media?.kind === 'other') return `is ${media.format}; ${USE}`;
	if (isCover && media?.kind !== 'image') {
		return `is ${media ? 'a video' : 'not an image'}; the cover must be an image`;
	}
	if (!media) return `is neither an image nor a video; ${USE}`;
	const max =
		media.kind === 'image'
			? MAX_IMAGE_BYTES
			: type === 'STORY'
				? MAX_STORY_VIDEO_BYTES
				: MAX_VIDEO_BYTES;
	if (bytes === undefined || bytes <= max) return undefined;
	const size = Math.ceil((bytes / MB) * 10) / 10;
	return `is ${size} MB; the photo platform accepts at most ${max / MB} MB`;
}

/**
 * What the photo platform may object to in a file that has been read. The parameters are those of
 * {@link fileIssue}.
 */
export function fileWarnings({ media }: FileFacts, type: unknown, isCover = false) {
	if (!media) return [];
	const { kind, format, width = 0, height = 0, seconds } = media;
	const ratio = width / height;
	const isOutside = ratio < MIN_RATIO - 0.01 || ratio > MAX_RATIO + 0.01;
	const max = type === 'STORY' ? MAX_STORY_SECONDS : MAX_REEL_SECONDS;
	const found = [
		kind === 'image' && format !== 'JPEG' && `is ${format}; only JPEG is certain to be accepted`,
		kind === 'image' &&
			type === 'POST' &&
			!isCover &&
			isOutside &&
			`is ${width} × ${height} pixels; the photo platform accepts aspect ratios from 4:5 to 1.91:1`,
		kind === 'video' &&
			seconds === undefined &&
			'is a video whose dimensions and duration could not be read, because its index is not at the beginning; check them yourself',
		seconds !== undefined &&
			(seconds < MIN_VIDEO_SECONDS || seconds > max) &&
			`is ${Math.round(seconds * 10) / 10} seconds long; the photo platform accepts ${MIN_VIDEO_SECONDS} to ${max} seconds`,
	];
	return found.filter((message) => message !== false);
}
