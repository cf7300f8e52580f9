import type { PlacedMedia, PostValues } from '../readers';
import type { FileFacts } from './formats';

const NO_FORMAT = 'is not an image or a video that can be posted; use JPEG, PNG, GIF, WebP or MP4';

const MAX_MEDIA = 10;

const BYTES_PER_MB = 1024 * 1024;
const MAX_IMAGE_MB = 8;
const MAX_VIDEO_MB = 300;
const MAX_STORY_VIDEO_MB = 100;

/** The accepted aspect ratios, with a tolerance for rounding. */
const MIN_RATIO = 4 / 5 - 0.01;
const MAX_RATIO = 1.91 + 0.01;

const PRIVATE_NAME = /^[^.:]*$|\.(localhost|localdomain|local|internal|lan|svc|home\.arpa)$/;

/**
 * IP addresses that are not globally reachable (IANA registries iana-ipv4-special-registry and
 * iana-ipv6-address-space).
 */
const PRIVATE_ADDRESSES = [
	/^(0|10|127)(\.\d+){3}$/,
	/^(100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|198\.1[89])(\.\d+){2}$/,
	/^192\.0\.0\.\d+$/,
	/^(22[4-9]|2[3-5]\d)(\.\d+){3}$/,
	// All global IPv6 addresses begin with 2 or 3. An address that begins with 2002 contains an IPv4
	// address, which may be private.
	/^\[(?![23][\da-f]{3}:)/,
	/^\[2002:/,
	// 2001::/23 is for protocols such as Teredo, and 2001:db8::/32 is for documentation.
	/^\[2001:((1?[\da-f]{1,2})?:|db8:)/,
	// An ISATAP address contains `5efe`, followed by an IPv4 address (RFC 5214, section 6.1).
	/:5efe:[\da-f]+:[\da-f]+\]$/,
];

/**
 * Whether a URL has a private address, which cannot be reached from the internet. Host names are
 * not looked up.
 */
export function isPrivate(url: string) {
	if (!URL.canParse(url)) return false;
	const host = new URL(url).hostname.replace(/\.$/, '');
	return PRIVATE_NAME.test(host) || PRIVATE_ADDRESSES.some((address) => address.test(host));
}

/**
 * Returns the Unix time in milliseconds when a storage service's signed link expires, or NaN for
 * other links.
 */
function expiryOf(url: string) {
	const { searchParams: query } = new URL(url);
	// An Azure link contains its signature in `sig`, and the time when it expires in `se`.
	if (query.has('sig')) return Date.parse(query.get('se') ?? '');
	const read = (name: string) => query.get(`X-Amz-${name}`) ?? query.get(`X-Goog-${name}`) ?? '';
	const signedAt = read('Date').replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, '$1-$2-$3:$4:');
	return Date.parse(signedAt) + Number(read('Expires')) * 1000;
}

/**
 * Checks a post with media against the photo platform's publicly documented limits. The limits of
 * single fields are in the table of fields.
 *
 * @param media the links and files in *Media*
 * @param isLocal whether the platform is at a private address, so that it can reach other private
 * addresses
 * @returns warnings, which do not prevent sending, each with the `name` of a field in the request
 */
export function mediaWarnings(
	{ type, post_date, auto_fit_image, auto_crop_image, share_to_feed }: PostValues,
	media: PlacedMedia[],
	isLocal: boolean,
) {
	const links = media.map(({ source }) => source).filter((source) => typeof source === 'string');
	const kinds = media.map(({ facts }) => facts?.format?.kind);
	const hasImage = kinds.includes('image');
	const hasVideo = kinds.includes('video');
	const isReel = type === 'REEL';
	const limits: Array<[isExceeded: unknown, name: string, message: string]> = [
		[media.length > MAX_MEDIA, 'media_urls', `has more than ${MAX_MEDIA} entries`],
		[
			(isReel || type === 'STORY') && media.length > 1,
			'media_urls',
			'has several entries; a reel or story requires exactly one',
		],
		[isReel && hasImage, 'media_urls', 'contains an image; a reel requires a video'],
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
		[auto_fit_image && hasVideo, 'auto_fit_image', 'works only with images'],
		[auto_crop_image && hasVideo, 'auto_crop_image', 'works only with images'],
		[
			share_to_feed !== undefined && !isReel && (media.length > 1 || hasImage),
			'share_to_feed',
			'works only with a reel or a single video',
		],
	];
	return limits.flatMap(([isExceeded, name, message]) => (isExceeded ? { name, message } : []));
}

/**
 * Checks a file against the limits of the photo platform.
 *
 * @param type the type of the post
 * @param isCover whether the file is the cover image of a video
 * @returns an `issue` if the file cannot be posted, or `warnings` about why it may be refused
 */
export function checkFile(
	{ issue, bytes = NaN, format }: FileFacts,
	type: unknown,
	isCover = false,
): { issue?: string; warnings?: string[] } {
	if (issue) return { issue };
	if (bytes === 0) return { issue: 'is empty (0 bytes); check where it comes from' };
	if (!format) return { issue: NO_FORMAT };
	const { kind, name, width = 1, height = 1 } = format;
	if (isCover && kind === 'video') {
		return { issue: 'is a video; the cover must be an image' };
	}
	const maxVideo = type === 'STORY' ? MAX_STORY_VIDEO_MB : MAX_VIDEO_MB;
	const max = kind === 'image' ? MAX_IMAGE_MB : maxVideo;
	const size = Math.ceil((bytes / BYTES_PER_MB) * 10) / 10;
	if (size > max) {
		return { issue: `is ${size} MB; the photo platform accepts at most ${max} MB` };
	}
	const warnings: string[] = [];
	if (kind === 'image' && name !== 'JPEG') {
		warnings.push(`is ${name}; only JPEG is certain to be accepted`);
	}
	const ratio = width / height;
	if (type === 'POST' && !isCover && (ratio < MIN_RATIO || ratio > MAX_RATIO)) {
		warnings.push(
			`is ${width} × ${height} pixels; the photo platform accepts aspect ratios from 4:5 to 1.91:1`,
		);
	}
	return { warnings };
}
