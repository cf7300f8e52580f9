import type { IBinaryData, IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';
import { quote } from '../../parameters/values';
import { responseOptions, type StreamedResponse } from '../../protocol/answer';
import { readConnectionError } from '../../protocol/connection';
import { mediaTypes, readHead, readMedia } from '../../protocol/media';
import { fileProblem, isPrivate, shareAdvice } from '../../protocol/photoLimits';
import { isWebAddress } from '../../protocol/post';
import type { Settings } from '../../protocol/settings';
import { originalErrorOf, withTimeout } from '../../transport/send';
import { labels } from './fields';
import type { PlacedLink, PreparedPost } from './request';

const MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;
const AT_ONCE = 5;

/** n8n itself blocks these addresses, if it is set to do so. */
const BLOCKED = "leads to a private address or another one that n8n's SSRF protection blocks";

/**
 * Encodings of a response. n8n decompresses most of them itself, and then removes the header. Some servers
 * state other things in this header, such as a character set.
 */
const COMPRESSED = /\b(gzip|compress|deflate|br|zstd)\b/i;

/** Maximum number of links to open of a post. The photo platform accepts 10. */
const MAX_LINKS = 20;

/**
 * Opens the links of a post as the platform would, and adds what is wrong with them to its problems. No
 * credential is sent. Private addresses are opened only if the platform is at one, too.
 */
export async function checkLinks(
	context: IExecuteFunctions,
	{ baseUrl }: Pick<Settings, 'baseUrl'>,
	post: PreparedPost,
): Promise<void> {
	const isCover = ({ field }: PlacedLink) => field === labels.thumbnail;
	const valid = post.links.filter(({ url }) => isWebAddress(url));
	const ordered = [...valid.filter(isCover), ...valid.filter((link) => !isCover(link))];
	const links = ordered.slice(0, MAX_LINKS);
	const opener = new LinkOpener(context, isPrivate(baseUrl.href));
	const messages = new Map<PlacedLink, string | undefined>();
	const waiting = [...links];
	const worker = async () => {
		for (let link = waiting.shift(); link; link = waiting.shift()) {
			messages.set(link, await opener.check(link, post.body.type, isCover(link)));
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
	for (const link of links) {
		const message = messages.get(link);
		if (message) post.problems.push({ field: link.field, message: `${link.place}${message}` });
	}
	const [unopened] = ordered.slice(MAX_LINKS);
	if (unopened) {
		const message = `has links that were not opened, because Check Media opens at most ${MAX_LINKS} for each post; remove some of them`;
		post.problems.push({ field: unopened.field, message });
	}
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

/** Says what is wrong with a link. The message completes a sentence that begins with the link. */
class LinkProblem {
	constructor(readonly message: string) {}
}

class LinkOpener {
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly mayBePrivate: boolean,
	) {}

	/** @returns why the link cannot be used; otherwise, `found` describes the file to which it leads */
	async check(link: PlacedLink, type: unknown, isCover: boolean): Promise<string | undefined> {
		const abort = new AbortController();
		const cancel = this.context.getExecutionCancelSignal() ?? abort.signal;
		const signal = AbortSignal.any([abort.signal, cancel]);
		try {
			const found = await withTimeout(TIMEOUT_MS, this.open(link.url, signal));
			if (found instanceof LinkProblem) return found.message;
			link.found = found;
			return fileProblem(found, type, isCover);
		} catch (error) {
			const original = originalErrorOf(error);
			if (/^SsrfBlocked/.test(original.name ?? '')) return BLOCKED;
			const { reason } = readConnectionError(original);
			return `cannot be opened: ${reason}`;
		} finally {
			// Closes the connections of responses that were not read to their end.
			abort.abort();
		}
	}

	private async open(link: string, abort: AbortSignal): Promise<Found | LinkProblem> {
		let url = link;
		for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
			if (!this.mayBePrivate && isPrivate(url)) {
				return new LinkProblem('leads to a private address, which the platform cannot reach');
			}
			const response = await this.get(url, abort);
			const { statusCode, headers } = response;
			const { 'content-encoding': encoding = '' } = headers;
			// Node.js reads each byte of a header as one character, so the bytes are kept in any encoding.
			const location = (headers.location ?? '').replace(
				/[\x80-\xff]/g,
				(byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
			);
			if (statusCode >= 300 && statusCode < 400 && location && URL.canParse(location, url)) {
				url = new URL(location, url).href;
				response.body.destroy();
				if (!/^https?:/.test(url)) return new LinkProblem('redirects to an app, not to a file');
				continue;
			}
			if (statusCode !== 200 && statusCode !== 206) {
				return new LinkProblem(statusProblem(statusCode));
			}
			if (COMPRESSED.test(encoding)) return new LinkProblem(encodingProblem(encoding));
			return readFacts(response, await readHead(response.body, MAX_BYTES), link);
		}
		return new LinkProblem(`redirects more than ${MAX_REDIRECTS} times`);
	}

	/** Opens a URL. When the signal is aborted, the response is not read any further. */
	private async get(url: string, abortSignal: AbortSignal): Promise<StreamedResponse> {
		abortSignal.throwIfAborted();
		const headers = {
			accept: 'image/*, video/*',
			'accept-encoding': 'identity',
			range: `bytes=0-${MAX_BYTES - 1}`,
		};
		const request = { method: 'GET' as const, url, headers, abortSignal, timeout: TIMEOUT_MS };
		const options = { ...responseOptions, ...request };
		const response = (await this.context.helpers.httpRequest(options)) as StreamedResponse;
		const close = () => response.body.destroy();
		if (abortSignal.aborted) close();
		else abortSignal.addEventListener('abort', close);
		return response;
	}
}

function statusProblem(status: number): string {
	if (status === 401 || status === 403) {
		return `is not public: the server responds with HTTP ${status}; allow everyone to download the file`;
	}
	if (status === 404 || status === 410) {
		return `does not exist: the server responds with HTTP ${status}; correct the link`;
	}
	// A server that supports ranges has no first byte of an empty file.
	if (status === 416) return 'is empty';
	return `cannot be downloaded: the server responds with HTTP ${status}`;
}

function encodingProblem(encoding: string): string {
	return `is sent compressed ('${quote(encoding)}'), although n8n asks for the file as it is; turn off the compression of images and videos at the server`;
}

function readFacts(
	{ statusCode, headers }: StreamedResponse,
	head: Buffer,
	link: string,
): Found | LinkProblem {
	const media = readMedia(head);
	const isPage = /^\s*<(!doctype|html|head)/i.test(head.toString('latin1', 0, 200));
	if (!media && (isPage || /html/i.test(headers['content-type'] ?? ''))) {
		const advice = 'is a web page, not a file; enter the direct link to the file';
		return new LinkProblem(shareAdvice(link) ?? advice);
	}
	// A part of a file says how large the file is, unless the server does not know it.
	const [, total] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
	const whole = head.length < MAX_BYTES ? head.length : headers['content-length'];
	const length = statusCode === 206 ? total : whole;
	return { media, bytes: length === undefined ? undefined : Number(length), head };
}
