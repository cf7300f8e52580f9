import { hash } from 'node:crypto';
import { mistakeIn } from '../../items/values';

/** The format and size of an image or a video. */
export interface Format {
	kind: 'image' | 'video';
	/** The name of the format in messages, and at the end of links. */
	name: string;
	/** The MIME type, unless only the end of a link shows the format. */
	type?: string;
	/** The size of a JPEG or PNG image in pixels, if it could be read. */
	width?: number;
	height?: number;
}

/** Maximum number of bytes to read from the beginning of a file. */
export const MAX_HEAD_BYTES = 64 * 1024;

/**
 * The formats, with the bytes at the beginning of their files. In the MP4 family, these bytes
 * contain a brand. The last row excludes brands of audio and of images that cannot be posted. It
 * accepts all other brands as videos (https://mp4ra.org).
 */
const formats: Array<[Format['kind'], name: string, type: string, start: RegExp]> = [
	['image', 'JPEG', 'image/jpeg', /^\xff\xd8\xff/],
	['image', 'PNG', 'image/png', /^\x89PNG\r\n.\n/],
	['image', 'GIF', 'image/gif', /^GIF8[79]a/],
	['image', 'WebP', 'image/webp', /^RIFF.{4}WEBP/s],
	['image', 'HEIC', 'image/heic', /^.{4}ftyp(he[iv][cmsx]|miaf|mif1|msf1)/s],
	['image', 'AVIF', 'image/avif', /^.{4}ftypavi[fs]/s],
	['video', 'MOV', 'video/quicktime', /^.{4}ftypqt {2}/s],
	[
		'video',
		'MP4',
		'video/mp4',
		/^.{4}ftyp(?!M4[ABP] |F4[ABP] |aax |crx |jxl |jp[2xm] |mjp2|mj2s).{4}/s,
	],
];

/**
 * A file as n8n describes it. If n8n stores the file, it has an `id`. Otherwise, `data` is its
 * content in base64.
 */
interface BinaryFile {
	id?: string;
	data?: string;
	mimeType: string;
	fileName?: string;
}

/** Whether a value describes one of n8n's files, such as the value of `{{ $binary.data }}`. */
export function isBinaryFile(value: unknown): value is BinaryFile {
	const { mimeType, id, data, fileName } = Object(value) as Record<string, unknown>;
	return [mimeType, id ?? '', data ?? '', fileName ?? ''].every((part) => typeof part === 'string');
}

/** A file that is given in place of a URL. It gets a link right before the post is sent. */
export class MediaFile {
	constructor(readonly binary: BinaryFile) {}

	get name() {
		return this.binary.fileName || 'a file without a name';
	}

	/**
	 * Identifies the file in all retries. n8n may move a stored file, but the last part of its ID
	 * stays the same. A link cannot identify the file, because n8n creates another link each time.
	 */
	get identity() {
		const { id, data = '' } = this.binary;
		if (id) return `file ${id.split(/[:/]/).at(-1)}`;
		return `file ${hash('sha256', data, 'base64url')}`;
	}
}

/** The facts about a given file, or about the file to which a link leads. */
export interface FileFacts {
	/** The reason why the file cannot be used. */
	issue?: string;
	/** Size in bytes, or NaN if the server does not state it. */
	bytes?: number;
	format?: Format;
	/** The stored file to which a link can lead. If it is absent, the file has to be copied first. */
	stored?: BinaryFile;
}

/** Reads the first bytes of a stream, and closes it. */
export async function readHead(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of stream) {
		chunks.push(chunk);
		length += chunk.length;
		if (length >= MAX_HEAD_BYTES) break;
	}
	return Buffer.concat(chunks).subarray(0, MAX_HEAD_BYTES);
}

/**
 * Recognizes an image or a video by its first bytes. The file's name and declared type are ignored,
 * because they may be wrong.
 */
export function formatOf(content: Buffer): Format | undefined {
	const head = content.subarray(0, MAX_HEAD_BYTES);
	const text = head.toString('latin1', 0, 2000);
	const found = formats.find(([, , , start]) => start.test(text));
	if (!found) return undefined;
	const [kind, name, type] = found;
	return { kind, name, type, ...sizeOf(name, head) };
}

/** Recognizes an image or a video by the file extension of a link that was not opened. */
export function formatOfLink(link: string): Format | undefined {
	const [, end = ''] = /\.(\w+)$/.exec(new URL(link).pathname.toUpperCase()) ?? [];
	const found = formats.find(([, name]) => name.toUpperCase() === end.replace('JPG', 'JPEG'));
	return found && { kind: found[0], name: found[1] };
}

/**
 * Reads the size of an image. PNG states it in the first chunk (PNG specification, section 11.2.1),
 * and JPEG states it in a frame header (ITU-T T.81, section B.2.2).
 */
function sizeOf(name: string, head: Buffer) {
	if (name === 'PNG' && head.length >= 24) {
		return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
	}
	if (name !== 'JPEG') return undefined;
	for (let at = 2; at + 9 <= head.length; at += 2 + head.readUInt16BE(at + 2)) {
		const marker = head.readUInt16BE(at);
		// Exif data may rotate the image, so its visible size is not known.
		if (marker < 0xff00 || marker === 0xffe1) return undefined;
		if (marker >= 0xffc0 && marker <= 0xffc2) {
			return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
		}
	}
	return undefined;
}

/** Addresses of web pages that show a file, with advice about what to enter instead. */
const sharePages: Array<[address: RegExp, advice: string]> = [
	[
		/^https?:\/\/(drive|docs)\.google\.com\/((?:u\/\d+|a\/[^/]+)\/)?(file|open|drive|uc(?!.*[?&]export=download))\b/i,
		'is a Google Drive page; enter https://drive.google.com/uc?export=download&id=… with the ID of the file, or download the file with the Google Drive node and post it as a file',
	],
	[
		/^https?:\/\/(www\.)?dropbox\.com\/(?!.*[?&](dl|raw)=1\b)/i,
		'is a Dropbox page; change dl=0 at the end of the link to dl=1',
	],
	[
		/^https?:\/\/(1drv\.ms|onedrive\.live\.com|[\w-]+\.sharepoint\.com)(?!.*[?&/]download(=1\b|[.?]))\//i,
		'is a OneDrive page; add download=1 to the link, or download the file with the Microsoft OneDrive node and post it as a file',
	],
	[
		/^https?:\/\/(photos\.app\.goo\.gl|photos\.google\.com)\//i,
		'is a Google Photos page, which has no direct link; download the photo and post it as a file',
	],
	[
		/^https?:\/\/([a-z]+\.)?(instagram\.com\/(p|reel|stories)\/|facebook\.com\/|youtube\.com\/(watch|shorts)|youtu\.be\/|tiktok\.com\/@|(x|twitter)\.com\/\w+\/status\/|pinterest\.[a-z.]+\/pin\/|unsplash\.com\/photos\/(?!.*\/download\b)|canva\.com\/design\/|flickr\.com\/photos\/|we\.tl\/)/i,
		'is a web page; download the image or video, and post it as a file',
	],
];

/** Returns the reason why a link cannot be posted, if there is one. */
export function linkIssue(link: string) {
	if (link === '') {
		return 'is empty, or its expression returns nothing for this item; enter a link or a file, or remove the row';
	}
	if (/[,;|]\s*https?:\/\//i.test(link)) return 'contains several links; enter one per row';
	const page = sharePages.find(([address]) => address.test(link));
	if (page) return page[1];
	if (/^https?:\/\/\S+$/i.test(link) && URL.canParse(link)) return undefined;
	const notLink =
		'is not a valid link or the name of a file; a link starts with https:// or http:// and contains no spaces, and an expression for a file looks like {{ $binary.data }}';
	return mistakeIn(link, false) ?? notLink;
}
