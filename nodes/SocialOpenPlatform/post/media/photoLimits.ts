import { MediaFile, type Media } from './formats';
import { isLonger, type PostDraft } from '../wire';

/**
 * A warning about a post that exceeds a limit of the photo platform. It does not prevent sending.
 */
interface Warning {
	/** The name of the field in the request, unless the credential changes it. */
	field: string;
	message: string;
}

const MAX_CAPTION = 2200;
const MAX_HASHTAGS = 30;
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
export function isPrivate(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const host = new URL(url).hostname.replace(/\.$/, '');
	return PRIVATE_NAME.test(host) || PRIVATE_ADDRESSES.some((address) => address.test(host));
}

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

/** What to enter in place of a link to a share page; undefined for other links. */
export function shareAdvice(link: string): string | undefined {
	return sharePages.find(([address]) => address.test(link))?.[1];
}

const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : url);

/** A limit: its field, the check whether a post exceeds it, and the message. */
type Rule = [field: string, applies: (post: Facts) => boolean, message: string];

interface Facts {
	post: PostDraft;
	exclusive: NonNullable<PostDraft['exclusive']>;
	/** Links and files. */
	media: unknown[];
	links: string[];
	/** Whether the platform can reach private addresses. */
	isLocal: boolean;
	/** The links to files about which nothing is known. */
	unopened: string[];
	videos: number;
	images: number;
	reel: boolean;
	story: boolean;
}

const rules: Rule[] = [
	[
		'text',
		({ post }) => isLonger(post.text ?? '', MAX_CAPTION),
		`is longer than ${MAX_CAPTION} characters`,
	],
	[
		'text',
		({ post }) => (post.text?.match(/#[\p{L}\p{N}_]+/gu)?.length ?? 0) > MAX_HASHTAGS,
		`contains more than ${MAX_HASHTAGS} hashtags`,
	],
	[
		'text',
		({ post }) => post.text?.includes('[object Object]') ?? false,
		'contains [object Object], which n8n writes in place of an object; name one of its fields in the expression',
	],
	[
		'media_urls',
		({ media }) => media.length === 0,
		'is empty; the photo platform requires at least one',
	],
	['media_urls', ({ media }) => media.length > MAX_MEDIA, `has more than ${MAX_MEDIA} entries`],
	[
		'media_urls',
		({ reel, story, media }) => (reel || story) && media.length > 1,
		'has several entries; a reel or story requires exactly one',
	],
	[
		'media_urls',
		({ reel, images }) => reel && images > 0,
		'contains an image; a reel requires a video',
	],
	[
		'media_urls',
		({ unopened }) => unopened.some((url) => OTHER_IMAGE.test(pathOf(url))),
		'contains an image that is not a JPEG; only JPEG is certain to be accepted',
	],
	[
		'media_urls',
		({ links }) => links.some((url) => /[^\x20-\x7e]/.test(url)),
		'contains characters outside ASCII; percent-encode them',
	],
	[
		'media_urls',
		({ links }) => links.some((url) => /,https?:/i.test(url)),
		'contains a comma followed by http; if these are two URLs, put them on two lines',
	],
	[
		'media_urls',
		({ links, isLocal }) => !isLocal && links.some(isPrivate),
		'contains an address that the platform cannot reach',
	],
	[
		'alt_text',
		({ exclusive }) => isLonger(exclusive.alt_text ?? '', MAX_ALT_TEXT),
		`is longer than ${MAX_ALT_TEXT} characters`,
	],
	[
		'collaborators',
		({ exclusive }) => (exclusive.collaborators?.length ?? 0) > MAX_COLLABORATORS,
		`has more than ${MAX_COLLABORATORS} entries`,
	],
	[
		'collaborators',
		({ story, exclusive }) => story && (exclusive.collaborators?.length ?? 0) > 0,
		'is set; a story cannot have collaborators',
	],
	[
		'collaborators',
		({ exclusive }) => exclusive.collaborators?.some((name) => /[^\w.]/.test(name)) ?? false,
		'contains something other than letters, digits, dots and underscores; enter one username per row',
	],
	[
		'location_id',
		({ story, exclusive }) => story && exclusive.location_id !== undefined,
		'is set; a story cannot have a location',
	],
	[
		'auto_fit_image',
		({ exclusive }) => exclusive.auto_fit_image === true && exclusive.auto_crop_image === true,
		'cannot be combined with Auto-Crop Image',
	],
	[
		'auto_fit_image',
		({ exclusive, videos }) => exclusive.auto_fit_image === true && videos > 0,
		'works only with images',
	],
	[
		'auto_crop_image',
		({ exclusive, videos }) => exclusive.auto_crop_image === true && videos > 0,
		'works only with images',
	],
	[
		'share_to_feed',
		({ exclusive, reel, images, media }) =>
			exclusive.share_to_feed !== undefined && !reel && (media.length > 1 || images > 0),
		'works only with a reel or a single video',
	],
	[
		'trial_params',
		({ exclusive, reel }) => exclusive.trial_params !== undefined && !reel,
		'works only with a reel',
	],
	[
		'thumbnail_offset',
		({ post, exclusive }) =>
			exclusive.thumbnail_offset !== undefined && post.thumbnail !== undefined,
		'has no effect, because Video Cover Image is set',
	],
];

/**
 * Checks a post against the publicly documented limits of the photo platform. A link that was not opened is
 * an image or a video by its extension.
 *
 * @param opened the files to which the opened links lead
 * @param isLocal whether the platform is at a private address
 */
export function photoWarnings(
	post: PostDraft,
	opened: ReadonlyMap<string, Media | undefined>,
	isLocal = false,
): Warning[] {
	const media = post.media_urls ?? [];
	const links = media.filter((entry) => typeof entry === 'string');
	const mediaOf = (entry: string | MediaFile) =>
		typeof entry === 'string' ? opened.get(entry) : entry.media;
	const isOf = (kind: Media['kind'], extension: RegExp) => (entry: string | MediaFile) => {
		const known = mediaOf(entry);
		if (known) return known.kind === kind;
		return typeof entry === 'string' && extension.test(pathOf(entry));
	};
	const facts: Facts = {
		post,
		media,
		links,
		isLocal,
		unopened: links.filter((url) => !opened.get(url)),
		exclusive: post.exclusive ?? {},
		videos: media.filter(isOf('video', VIDEO)).length,
		images: media.filter(isOf('image', IMAGE)).length,
		reel: post.type === 'REEL',
		story: post.type === 'STORY',
	};
	return rules
		.filter(([, applies]) => applies(facts))
		.map(([field, , message]) => ({ field, message }));
}

const USE = 'use JPEG, PNG, GIF, WebP or MP4';

/** What is known about a file, or about the file to which a link leads. */
export interface FileFacts {
	bytes?: number;
	media?: Media;
}

/**
 * Why the photo platform cannot accept a file that has been read; undefined if it may.
 *
 * @param type the type of the post
 * @param isCover whether the file is the cover image of a video
 */
export function fileProblem(
	{ bytes, media }: FileFacts,
	type: unknown,
	isCover = false,
): string | undefined {
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
 * What the photo platform may object to in a file that has been read. The parameters are those of {@link
 * fileProblem}.
 */
export function fileWarnings({ media }: FileFacts, type: unknown, isCover = false): string[] {
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
