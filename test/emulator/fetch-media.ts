import { createHash } from 'node:crypto';

import { Agent, fetch } from 'undici';

/** A file that the emulated platform fetched for a post, or tried to fetch. */
export interface FetchedMedia {
	/** The URL without its query, which may hold a token. */
	url: string;
	/** Why the file cannot be used; absent when it can. */
	problem?: string;
	/** MIME type by the first bytes. */
	type?: string;
	bytes?: number;
	sha256?: string;
	/** Name of the file under `/fetched`; absent for a video. */
	file?: string;
}

export interface FetchedFile {
	type: string;
	content: Uint8Array;
}

const USER_AGENT = 'PhotoPlatform-MediaFetcher/1.0';

const TIMEOUT_MS = 30_000;

const MB = 1024 * 1024;
const MAX_BYTES = { image: 8 * MB, video: 300 * MB };

/** First bytes of the types that the platform accepts. */
const TYPES: Array<[type: string, start: RegExp]> = [
	['image/jpeg', /^\xff\xd8\xff/],
	['image/png', /^\x89PNG\r\n\x1a\n/],
	['image/gif', /^GIF8[79]a/],
	['image/webp', /^RIFF[^]{4}WEBP/],
	['video/quicktime', /^[^]{4}ftypqt {2}/],
	['video/mp4', /^[^]{4}ftyp(?!M4A|avi|hei|mif)/],
];

/** Fetches media as the platform would: without credentials, following redirects, within bounds. */
export class MediaFetcher {
	/** Images that the feed shows, by name. */
	readonly files = new Map<string, FetchedFile>();

	private readonly agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });

	/** Closes the connections, and aborts fetches that have not ended. */
	async stop(): Promise<void> {
		await this.agent.destroy();
	}

	/** Fetches the media and the cover image of a post. */
	async fetchAll(body: Record<string, unknown>): Promise<FetchedMedia[]> {
		const urls = [body.media_urls, body.thumbnail].flat().filter((url) => typeof url === 'string');
		return await Promise.all(urls.map(async (url) => await this.fetchOne(url)));
	}

	private async fetchOne(url: string): Promise<FetchedMedia> {
		const shown = url.replace(/[?#].*$/s, '');
		try {
			return { url: shown, ...(await this.download(url)) };
		} catch (error) {
			const { message, cause } = error as Error;
			const problem = cause instanceof Error ? cause.message : message;
			return { url: shown, problem: problem.replaceAll(url, shown) };
		}
	}

	/** @throws Error that says why the file cannot be used */
	private async download(url: string): Promise<Omit<FetchedMedia, 'url'>> {
		const response = await fetch(url, {
			headers: { 'user-agent': USER_AGENT, accept: 'image/*, video/*' },
			dispatcher: this.agent,
		});
		if (response.status !== 200 || !response.body) {
			await response.body?.cancel();
			throw new Error(`the server responded with HTTP ${response.status}`);
		}
		const declared = response.headers.get('content-type') ?? 'no type';
		const digest = createHash('sha256');
		const kept: Uint8Array[] = [];
		let bytes = 0;
		let type: string | undefined;
		for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
			if (bytes === 0 && chunk.length > 0) type = typeOf(chunk, declared);
			bytes += chunk.length;
			const kind = type?.startsWith('video/') ? 'video' : 'image';
			if (bytes > MAX_BYTES[kind]) {
				throw new Error(`the ${kind} is larger than ${MAX_BYTES[kind] / MB} MB`);
			}
			digest.update(chunk);
			if (kind === 'image') kept.push(chunk);
		}
		if (!type) throw new Error('the file is empty');
		const sha256 = digest.digest('hex');
		if (type.startsWith('video/')) return { type, bytes, sha256 };
		const file = `${sha256.slice(0, 16)}.${type.slice('image/'.length)}`;
		this.files.set(file, { type, content: Buffer.concat(kept) });
		return { type, bytes, sha256, file };
	}
}

function typeOf(start: Uint8Array, declared: string): string {
	const text = Buffer.from(start.subarray(0, 16)).toString('latin1');
	const found = TYPES.find(([, pattern]) => pattern.test(text));
	if (found) return found[0];
	throw new Error(`the server sent something that is neither an image nor a video (${declared})`);
}
