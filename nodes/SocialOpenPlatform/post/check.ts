import { isPrivate } from '../platform/address';
import type { Issue } from '../items/parameters';
import { COVER, labelOf } from './fields';
import { hostIssues, readFiles } from './media/files';
import { fileIssues, fileWarnings, photoWarnings } from './media/limits';
import { openLinks } from './media/links';
import type { Post, PostContent, PostReader } from './post';

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
	const isLocal = isPrivate(session.settings.baseUrl.href);
	const read = await readFiles(context, post.media);
	const opened = opensLinks ? await openLinks(context, post.media, isLocal) : [];
	const found = new Map([...read, ...opened]);
	const issues = [
		...post.issues,
		...hostIssues(context, post, isLocal),
		...mediaIssues({ ...post, found }, fileIssues),
	];
	const checked = { ...post, found, issues };
	return { ...checked, warnings: warningsOf(checked, isLocal) };
}

/**
 * The warnings of a post: values that are left out, and limits of the photo platform that it may
 * exceed. A field with an issue has none.
 *
 * @param isLocal whether the platform is at a private address
 */
export function warningsOf(post: PostContent, isLocal = false): Issue[] {
	const ofPost = photoWarnings(post.values, post.found, isLocal).map(({ field, message }) => ({
		field: labelOf(field),
		message,
	}));
	const all = [...post.warnings, ...ofPost, ...mediaIssues(post, fileWarnings)];
	return all.filter(({ field }) => !post.issues.some((issue) => issue.field === field));
}

/** Describes the files of a post, and those to which its links lead, if they were read. */
function mediaIssues({ media, values, found }: PostContent, describe: typeof fileIssues): Issue[] {
	return media.flatMap(({ source, field, place }) => {
		const facts = found.get(source);
		const messages = facts ? describe(facts, values.type, field === COVER) : [];
		return messages.map((message) => ({ field, message: `${place}${message}` }));
	});
}
