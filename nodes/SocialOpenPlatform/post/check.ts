import type { Issue } from '../items/parameters';
import { COVER, labelOf } from './fields';
import { checkFiles, type CheckedMedia, type FoundMedia } from './media/files';
import { checkLinks } from './media/links';
import { fileWarnings, isPrivate, photoWarnings } from './media/limits';
import { filesOf, type PostReader, type PreparedPost, type ReadPost } from './post';

/** A post whose media were read. Its warnings are complete. */
export interface CheckedPost extends ReadPost {
	found: FoundMedia;
}

/**
 * Checks the media of a post, and its limits on the photo platform.
 *
 * @param opensLinks whether to open the links, too
 */
export async function checkPost(
	{ context, session }: PostReader,
	post: ReadPost,
	opensLinks: boolean,
): Promise<CheckedPost> {
	const { baseUrl } = session.settings;
	const checked: CheckedMedia[] = [];
	const files = filesOf(post.media);
	const { fileLinkValidity: days } = post.options;
	if (files.length > 0) checked.push(await checkFiles(context, baseUrl, post, files, days));
	if (opensLinks) checked.push(await checkLinks(context, baseUrl, post));
	const found: FoundMedia = new Map(checked.flatMap((one) => [...one.found]));
	const issues = [...post.issues, ...checked.flatMap((one) => one.issues)];
	const all = { ...post, issues };
	return { ...all, found, warnings: warningsOf(all, found, isPrivate(baseUrl.href)) };
}

/**
 * The warnings of a post: values that are left out, and limits of the photo platform that it may
 * exceed. A field with an issue has none.
 *
 * @param found what is known about its links and files
 * @param isLocal whether the platform is at a private address
 */
export function warningsOf(post: PreparedPost, found: FoundMedia = new Map(), isLocal = false) {
	const ofPost = photoWarnings(post.draft, found, isLocal).map(({ field, message }) => ({
		field: labelOf(field),
		message,
	}));
	const all = [...post.warnings, ...ofPost, ...mediaWarnings(post, found)];
	return all.filter(({ field }) => !post.issues.some((issue) => issue.field === field));
}

/** Warnings about the files of a post, and about those to which its links lead. */
function mediaWarnings({ media, draft }: PreparedPost, found: FoundMedia): Issue[] {
	return media.flatMap(({ source, field, place }) =>
		fileWarnings(found.get(source) ?? {}, draft.type, field === COVER).map((message) => ({
			field,
			message: `${place}${message}`,
		})),
	);
}
