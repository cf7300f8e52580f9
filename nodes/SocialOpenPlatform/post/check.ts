import type { Issue } from '../items/parameters';
import { isPrivate } from '../platform/address';
import { COVER, labelOf } from './fields';
import { checkFiles, type CheckedMedia } from './media/files';
import { checkLinks } from './media/links';
import { fileWarnings, photoWarnings } from './media/limits';
import { filesOf, type Post, type PostContent, type PostReader } from './post';

/**
 * Checks the media of a post, and its limits on the photo platform.
 *
 * @param opensLinks whether to open the links, too
 */
export async function checkPost(
	{ context, session }: PostReader,
	post: Post,
	opensLinks: boolean,
): Promise<Post> {
	const { baseUrl } = session.settings;
	const checked: CheckedMedia[] = [];
	const files = filesOf(post.media);
	const { fileLinkValidity: days } = post.options;
	if (files.length > 0) checked.push(await checkFiles(context, baseUrl, post, files, days));
	if (opensLinks) checked.push(await checkLinks(context, baseUrl, post));
	const found = new Map(checked.flatMap((one) => [...one.found]));
	const issues = [...post.issues, ...checked.flatMap((one) => one.issues)];
	const all = { ...post, issues, found };
	return { ...all, warnings: warningsOf(all, isPrivate(baseUrl.href)) };
}

/**
 * The warnings of a post: values that are left out, and limits of the photo platform that it may
 * exceed. A field with an issue has none.
 *
 * @param isLocal whether the platform is at a private address
 */
export function warningsOf(post: PostContent, isLocal = false) {
	const ofPost = photoWarnings(post.values, post.found, isLocal).map(({ field, message }) => ({
		field: labelOf(field),
		message,
	}));
	const all = [...post.warnings, ...ofPost, ...mediaWarnings(post)];
	return all.filter(({ field }) => !post.issues.some((issue) => issue.field === field));
}

/** Warnings about the files of a post, and about those to which its links lead. */
function mediaWarnings({ media, values, found }: PostContent): Issue[] {
	return media.flatMap(({ source, field, place }) =>
		fileWarnings(found.get(source) ?? {}, values.type, field === COVER).map((message) => ({
			field,
			message: `${place}${message}`,
		})),
	);
}
