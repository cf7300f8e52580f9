import type { IBinaryData, IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';
import { responseOptions, type StreamedResponse } from '../../platform/answer';
import { readConnectionError } from '../../platform/connection';
import { mediaTypes, readHead, readMedia } from './formats';
import { fileProblem, isPrivate } from './photoLimits';
import { isWebAddress } from '../wire';
import type { Settings } from '../../platform/settings';
import { originalErrorOf, withTimeout } from '../../platform/client';
import { labels } from '../fields';
import type { PlacedLink, PreparedPost } from '../read';

const MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;

/** Maximum number of links to open of a post. The photo platform accepts 10. */
const MAX_LINKS = 20;

/** n8n itself blocks these addresses, if it is set to do so. */
const BLOCKED = "leads to a private address or another one that n8n's SSRF protection blocks";

/**
 * Opens the links of a post as the platform would, and adds what is wrong with them to its problems. No
 * credential is sent. Private addresses are opened only if the platform is at one, too.
 */
export async function checkLinks(
	context: IExecuteFunctions,
	{ baseUrl }: Pick<Settings, 'baseUrl'>,
	post: PreparedPost,
): Promise<void> {
	const links = post.links.filter(({ url }) => isWebAddress(url));
	if (links.length > MAX_LINKS) {
		const message = `has too many links; Check Media opens at most ${MAX_LINKS} for each post`;
		post.problems.push({ field: labels.media_urls, message });
		return;
	}
	const mayBePrivate = isPrivate(baseUrl.href);
	const messages = await Promise.all(
		links.map(async (link) => await checkLink(context, link, post.body.type, mayBePrivate)),
	);
	links.forEach(({ field, place }, index) => {
		const message = messages[index];
		if (message) post.problems.push({ field, message: `${place}${message}` });
	});
}

/**
 * The images of a post for the output of Validate: files, and images to which links lead if they were small
 * enough to be downloaded as a whole.
 */
export async function previewsOf(
	{ helpers }: IExecuteFunctions,
	{ files, links }: PreparedPost,
): Promise<IBinaryKeyData> {
	const images = files
		.filter(({ file }) => file.media?.kind === 'image')
		.map(({ file }) => (file.stored ?? file.binary) as IBinaryData);
	for (const { found } of links) {
		const { media, bytes, head } = found ?? {};
		if (media?.kind !== 'image' || !head || head.length !== bytes) continue;
		images.push(await helpers.prepareBinaryData(head, undefined, mediaTypes[media.format]));
	}
	return Object.fromEntries(images.map((image, index) => [`preview_${index + 1}`, image]));
}

type Found = NonNullable<PlacedLink['found']>;

/** @returns why the link cannot be used; otherwise, `found` describes the file to which it leads */
async function checkLink(
	context: IExecuteFunctions,
	link: PlacedLink,
	type: unknown,
	mayBePrivate: boolean,
): Promise<string | undefined> {
	const abort = new AbortController();
	const cancel = context.getExecutionCancelSignal() ?? abort.signal;
	const signal = AbortSignal.any([abort.signal, cancel]);
	try {
		const found = await withTimeout(TIMEOUT_MS, open(context, link.url, mayBePrivate, signal));
		if (typeof found === 'string') return found;
		link.found = found;
		return fileProblem(found, type, link.field === labels.thumbnail);
	} catch (error) {
		const original = originalErrorOf(error);
		if (/^SsrfBlocked/.test(original.name ?? '')) return BLOCKED;
		return `cannot be opened: ${readConnectionError(original).reason}`;
	} finally {
		// Closes the connections of responses that were not read to their end.
		abort.abort();
	}
}

/** @returns the file to which a link leads, or why the link cannot be used */
async function open(
	context: IExecuteFunctions,
	link: string,
	mayBePrivate: boolean,
	abort: AbortSignal,
): Promise<Found | string> {
	let url = link;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		if (!mayBePrivate && isPrivate(url)) {
			return 'leads to a private address, which the platform cannot reach';
		}
		const response = await get(context, url, abort);
		const { statusCode, headers } = response;
		const { location = '' } = headers;
		if (statusCode >= 300 && statusCode < 400 && location && URL.canParse(location, url)) {
			url = new URL(location, url).href;
			response.body.destroy();
			if (!/^https?:/.test(url)) return 'redirects to an app, not to a file';
			continue;
		}
		if (statusCode !== 200 && statusCode !== 206) return statusProblem(statusCode);
		return readFacts(response, await readHead(response.body, MAX_BYTES));
	}
	return `redirects more than ${MAX_REDIRECTS} times`;
}

/** Opens a URL. When the signal is aborted, the response is not read any further. */
async function get(
	{ helpers }: IExecuteFunctions,
	url: string,
	abortSignal: AbortSignal,
): Promise<StreamedResponse> {
	abortSignal.throwIfAborted();
	const response = (await helpers.httpRequest({
		...responseOptions,
		url,
		headers: {
			accept: 'image/*, video/*',
			'accept-encoding': 'identity',
			range: `bytes=0-${MAX_BYTES - 1}`,
		},
		abortSignal,
		timeout: TIMEOUT_MS,
	})) as StreamedResponse;
	const close = () => response.body.destroy();
	if (abortSignal.aborted) close();
	else abortSignal.addEventListener('abort', close);
	return response;
}

function statusProblem(status: number): string {
	if (status === 401 || status === 403) {
		return `is not public: the server responds with HTTP ${status}; allow everyone to download the file`;
	}
	if (status === 404 || status === 410) {
		return `does not exist: the server responds with HTTP ${status}; correct the link`;
	}
	return `cannot be downloaded: the server responds with HTTP ${status}`;
}

function readFacts({ statusCode, headers }: StreamedResponse, head: Buffer): Found | string {
	const media = readMedia(head);
	const isPage = /^\s*<(!doctype|html|head)/i.test(head.toString('latin1', 0, 200));
	if (!media && (isPage || /html/i.test(headers['content-type'] ?? ''))) {
		return 'is a web page, not a file; enter the direct link to the file';
	}
	// A part of a file says how large the file is, unless the server does not know it.
	const [, total] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
	const whole = head.length < MAX_BYTES ? head.length : headers['content-length'];
	const length = statusCode === 206 ? total : whole;
	return { media, bytes: length === undefined ? undefined : Number(length), head };
}
