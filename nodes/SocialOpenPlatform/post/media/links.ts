import type { IBinaryData, IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';
import { responseOptions, type StreamedResponse } from '../../platform/response';
import { originalErrorOf, readConnectionError } from '../../platform/connection';
import {
	MediaFile,
	mediaTypes,
	readHead,
	readMedia,
	type FileFacts,
	type FoundMedia,
} from './formats';
import { fileIssue, isPrivate } from './limits';
import { withTimeout } from '../../platform/session';
import { COVER } from '../fields';
import type { PlacedMedia, Post } from '../post';
import type { CheckedMedia } from './files';
import type { Issue } from '../../items/parameters';

const MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;

/** Maximum number of links of a post that are opened. The photo platform accepts 10. */
const MAX_LINKS = 20;

/** n8n itself blocks these addresses, if it is set to do so. */
const BLOCKED = "leads to a private address or another one that n8n's SSRF protection blocks";

/**
 * Opens the links of a post as the platform would. No credential is sent. Private addresses are
 * opened only if the platform is at one, too.
 */
export async function checkLinks(
	context: IExecuteFunctions,
	baseUrl: URL,
	{ media, values }: Post,
): Promise<CheckedMedia> {
	const links = media.filter(({ source }) => typeof source === 'string').slice(0, MAX_LINKS);
	const mayBePrivate = isPrivate(baseUrl.href);
	const checked = await Promise.all(
		links.map(async (link) => await checkLink(context, link, values.type, mayBePrivate)),
	);
	const issues: Issue[] = [];
	const found = new Map<string | MediaFile, FileFacts>();
	checked.forEach(({ facts, message }, index) => {
		const link = links[index]!;
		if (facts) found.set(link.source, facts);
		if (message) issues.push({ field: link.field, message: `${link.place}${message}` });
	});
	return { issues, found };
}

/**
 * The images of a post for the output of Validate: files, and images to which links lead if they
 * were small enough to be downloaded as a whole.
 */
export async function previewsOf(
	{ helpers }: IExecuteFunctions,
	found: FoundMedia,
): Promise<IBinaryKeyData> {
	const images: IBinaryData[] = [];
	for (const [source, { media, bytes, head, stored }] of found) {
		if (media?.kind !== 'image') continue;
		if (source instanceof MediaFile) images.push((stored ?? source.binary) as IBinaryData);
		else if (head && head.length === bytes) {
			images.push(await helpers.prepareBinaryData(head, undefined, mediaTypes[media.format]));
		}
	}
	return Object.fromEntries(images.map((image, index) => [`preview_${index + 1}`, image]));
}

/** @returns the facts about the file to which a link leads, and why it cannot be used */
async function checkLink(
	context: IExecuteFunctions,
	{ source, field }: PlacedMedia,
	type: unknown,
	mayBePrivate: boolean,
): Promise<{ facts?: FileFacts; message?: string }> {
	const abort = new AbortController();
	const cancel = context.getExecutionCancelSignal() ?? abort.signal;
	const signal = AbortSignal.any([abort.signal, cancel]);
	try {
		const opening = open(context, source as string, mayBePrivate, signal);
		const facts = await withTimeout(TIMEOUT_MS, opening);
		if (typeof facts === 'string') return { message: facts };
		return { facts, message: fileIssue(facts, type, field === COVER) };
	} catch (error) {
		const original = originalErrorOf(error);
		if (/^SsrfBlocked/.test(original.name ?? '')) return { message: BLOCKED };
		return { message: `cannot be opened: ${readConnectionError(original).reason}` };
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
): Promise<FileFacts | string> {
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
		if (statusCode !== 200 && statusCode !== 206) return statusIssue(statusCode);
		return readFacts(response, await readHead(response.body, MAX_BYTES));
	}
	return `redirects more than ${MAX_REDIRECTS} times`;
}

/** Opens a URL. When the signal is aborted, the response is not read any further. */
async function get({ helpers }: IExecuteFunctions, url: string, abortSignal: AbortSignal) {
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

function statusIssue(status: number) {
	if (status === 401 || status === 403) {
		return `is not public: the server responds with HTTP ${status}; allow everyone to download the file`;
	}
	if (status === 404 || status === 410) {
		return `does not exist: the server responds with HTTP ${status}; correct the link`;
	}
	return `cannot be downloaded: the server responds with HTTP ${status}`;
}

function readFacts({ statusCode, headers }: StreamedResponse, head: Buffer): FileFacts | string {
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
