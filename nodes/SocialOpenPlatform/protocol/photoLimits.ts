import type { PostDraft } from './post';

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
const PRIVATE_HOST =
	/^(localhost|.*\.(localhost|local|internal)|(127|10)(\.\d+){3}|(192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))(\.\d+){2}|\[(::1|f[cd].*|fe80.*)\])$/;

const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : url);
const lengthOf = (text = '') => [...text].length;

/** A limit: its field, the check whether a post exceeds it, and the message. */
type Rule = [field: string, applies: (post: Facts) => boolean, message: string];

interface Facts {
	post: PostDraft;
	exclusive: NonNullable<PostDraft['exclusive']>;
	media: string[];
	videos: number;
	images: number;
	reel: boolean;
	story: boolean;
}

const rules: Rule[] = [
	[
		'text',
		({ post }) => lengthOf(post.text) > MAX_CAPTION,
		`is longer than ${MAX_CAPTION} characters`,
	],
	[
		'text',
		({ post }) => (post.text?.match(/#[\p{L}\p{N}_]+/gu)?.length ?? 0) > MAX_HASHTAGS,
		`contains more than ${MAX_HASHTAGS} hashtags`,
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
		({ reel, media }) => reel && media.some((url) => IMAGE.test(pathOf(url))),
		'contains an image; a reel requires a video',
	],
	[
		'media_urls',
		({ media }) => media.some((url) => OTHER_IMAGE.test(pathOf(url))),
		'contains an image that is not a JPEG; only JPEG is certain to be accepted',
	],
	[
		'media_urls',
		({ media }) => media.some((url) => /[^\x20-\x7e]/.test(url)),
		'contains characters outside ASCII; percent-encode them',
	],
	[
		'media_urls',
		({ media }) => media.some((url) => /,https?:/i.test(url)),
		'contains a comma followed by http; if these are two URLs, put them on two lines',
	],
	[
		'media_urls',
		({ media }) =>
			media.some((url) => URL.canParse(url) && PRIVATE_HOST.test(new URL(url).hostname)),
		'contains an address that the platform cannot reach',
	],
	[
		'alt_text',
		({ exclusive }) => lengthOf(exclusive.alt_text) > MAX_ALT_TEXT,
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
		'has no effect, because Video Cover Image URL is set',
	],
];

/**
 * Checks a post against the publicly documented limits of the photo platform. File sizes and
 * durations are not checked, because media files are not downloaded.
 */
export function photoWarnings(post: PostDraft): Warning[] {
	const media = post.media_urls ?? [];
	const facts: Facts = {
		post,
		media,
		exclusive: post.exclusive ?? {},
		videos: media.filter((url) => VIDEO.test(pathOf(url))).length,
		images: media.filter((url) => IMAGE.test(pathOf(url))).length,
		reel: post.type === 'REEL',
		story: post.type === 'STORY',
	};
	return rules
		.filter(([, applies]) => applies(facts))
		.map(([field, , message]) => ({ field, message }));
}
