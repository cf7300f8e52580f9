import { type Issue } from '../../platform/outcome';
import type { IExecuteFunctions } from 'n8n-workflow';
import { isPrivate, originalErrorOf, readConnectionError } from '../../platform/connection';
import { responseOptions, type StreamedResponse } from '../../platform/response';
import { withTimeout } from '../../platform/session';
import { COVER, labelOf } from '../fields';
import type { Post, PostContent, PostReader } from '../post';
import { hostIssues, readFiles } from './files';
import { MAX_HEAD_BYTES, readHead, readMedia, type FileFacts } from './formats';
import { fileIssues, fileWarnings, photoWarnings } from './limits';

const LINK_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;

/** Maximum number of links of a post that are opened. The photo platform accepts 10. */
const MAX_LINKS = 20;

/** n8n itself blocks these addresses, if it is set to do so. */
const BLOCKED = "leads to an address that n8n's SSRF protection blocks, such as a private one";

/**
 * Checks the media of a post, and its limits on the photo platform. Issues and warnings are added
 * to the post.
 *
 * @param opensLinks whether to open the links, too
 */
export async function checkPost({ context, session }: PostReader, post: Post, opensLinks: boolean) {
	const isLocal = isPrivate(session.settings.baseUrl.href);
	await readFiles(context, post);
	if (opensLinks) await openLinks(context, post, isLocal);
	post.issues.push(...hostIssues(context, post, isLocal), ...describeMedia(post, fileIssues));
	post.warnings = warningsOf(post, isLocal);
}

/**
 * Returns the warnings of a post: values that are left out, and limits of the photo platform that
 * the post may exceed. A field with an issue has no warning.
 *
 * @param isLocal whether the platform is at a private address, so that it can reach others
 */
export function warningsOf(post: PostContent, isLocal = false): Issue[] {
	const ofPost = photoWarnings(post.values, post.found, isLocal).map(({ name, message }) => ({
		field: labelOf(name),
		message,
	}));
	const withIssue = post.issues.map(({ field }) => field);
	return [...post.warnings, ...ofPost, ...describeMedia(post, fileWarnings)].filter(
		({ field }) => !withIssue.includes(field),
	);
}

/** Describes the files of a post, and those to which its links lead, if they were read. */
function describeMedia(
	{ media, values, found }: PostContent,
	describe: typeof fileIssues,
): Issue[] {
	return media.flatMap(({ source, field, place }) => {
		const facts = found.get(source);
		const messages = facts ? describe(facts, values.type, field === COVER) : [];
		return messages.map((message) => ({ field, message: `${place}${message}` }));
	});
}

/** Opens the links of a post as the platform would. No credential is sent. */
async function openLinks(context: IExecuteFunctions, { media, found }: Post, isLocal: boolean) {
	const links = media
		.map(({ source }) => source)
		.filter((source) => typeof source === 'string')
		.slice(0, MAX_LINKS);
	await Promise.all(
		links.map(async (link) => found.set(link, await openLink(context, link, isLocal))),
	);
}

async function openLink(
	context: IExecuteFunctions,
	link: string,
	isLocal: boolean,
): Promise<FileFacts> {
	const cancel = context.getExecutionCancelSignal();
	try {
		return await withTimeout(LINK_TIMEOUT_MS, async (signal) => {
			const either = cancel ? AbortSignal.any([signal, cancel]) : signal;
			return await follow(context, link, isLocal, either);
		});
	} catch (error) {
		const original = originalErrorOf(error);
		if (/^SsrfBlocked/.test(original.name ?? '')) return { issue: BLOCKED };
		return { issue: `cannot be opened: ${readConnectionError(original).reason}` };
	}
}

/**
 * Reads the file to which a link leads. Each redirect is followed here, so that its address can be
 * checked. Private addresses are opened only if the platform is at one.
 */
async function follow(
	{ helpers }: IExecuteFunctions,
	link: string,
	isLocal: boolean,
	abortSignal: AbortSignal,
): Promise<FileFacts> {
	let url = link;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		if (!/^https?:/i.test(url)) return { issue: 'redirects to an app, not to a file' };
		if (!isLocal && isPrivate(url)) {
			return { issue: 'leads to a private address, which the platform cannot reach' };
		}
		const response = (await helpers.httpRequest({
			...responseOptions,
			url,
			headers: {
				accept: 'image/*, video/*',
				'accept-encoding': 'identity',
				range: `bytes=0-${MAX_HEAD_BYTES - 1}`,
			},
			abortSignal,
			timeout: LINK_TIMEOUT_MS,
		})) as StreamedResponse;
		const { statusCode, headers } = response;
		const { location } = headers;
		const isRedirect = statusCode >= 300 && statusCode < 400;
		if (!isRedirect || !location || !URL.canParse(location, url)) return await readFacts(response);
		url = new URL(location, url).href;
	}
	return { issue: `redirects more than ${MAX_REDIRECTS} times` };
}

async function readFacts({ statusCode, headers, body }: StreamedResponse): Promise<FileFacts> {
	const isPart = statusCode === 206;
	if (statusCode !== 200 && !isPart) {
		return {
			issue: `cannot be downloaded: the server responds with HTTP ${statusCode}; correct the link, or allow everyone to download the file`,
		};
	}
	const head = await readHead(body);
	const media = readMedia(head);
	const isPage = /^\s*<(!doctype html|html|head)/i.test(head.toString('latin1', 0, 200));
	if (!media && (isPage || /html/i.test(headers['content-type'] ?? ''))) {
		return { issue: 'is a web page, not a file; enter the direct link to the file' };
	}
	// A response with a part of a file states the size of the whole file if the server knows it.
	const [, total] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
	const whole = head.length < MAX_HEAD_BYTES ? head.length : headers['content-length'];
	return { media, bytes: Number(isPart ? total : whole) };
}
