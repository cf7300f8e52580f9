import { createHash } from 'node:crypto';

/** What the first bytes of an image or video say about it. */
export interface Media {
	kind: 'image' | 'video' | 'other';
	format: keyof typeof mediaTypes;
	/** Of a JPEG or PNG image, in pixels as shown; absent when the bytes do not reach that far. */
	width?: number;
	height?: number;
	/** Duration of a video; absent when the bytes do not reach that far. */
	seconds?: number;
}

/** Bytes to read of a file. Most files have their dimensions in them, even after a large preview image. */
export const MEDIA_HEAD_BYTES = 256 * 1024;

/** MIME type of each format. */
export const mediaTypes = {
	JPEG: 'image/jpeg',
	PNG: 'image/png',
	GIF: 'image/gif',
	WebP: 'image/webp',
	HEIC: 'image/heic',
	AVIF: 'image/avif',
	MP4: 'video/mp4',
	QuickTime: 'video/quicktime',
	SVG: 'image/svg+xml',
	WMV: 'video/x-ms-wmv',
	FLV: 'video/x-flv',
	'MPEG-TS': 'video/mp2t',
	audio: 'audio/mpeg',
};

/** The beginnings of well-known files that the platform does not accept. */
const others = Object.entries({
	SVG: /^\s*(<\?xml.{0,200}?\?>\s*)?(<!--.{0,500}?-->\s*)?(<!doctype svg.{0,200}?>\s*)?<svg\b/is,
	WMV: /^\x30\x26\xb2\x75\x8e\x66\xcf/,
	FLV: /^FLV[^ -~]/,
	'MPEG-TS': /^G.{187}G/s,
	audio: /^(.{4}ftyp(M4[ABP] |F4[AB] |aax )|ID3|\xff[\xf2\xf3\xfb]|OggS|fLaC|RIFF.{4}WAVE)/s,
}) as Array<[Media['format'], RegExp]>;

/** A file as n8n describes it. It has an `id` if n8n stores it, otherwise its content as base64. */
interface BinaryFile {
	id?: string;
	data?: string;
	mimeType: string;
	fileName?: string;
}

/** Whether a value is what n8n gives for a file, such as `{{ $binary.data }}`. */
export function isBinaryFile(value: unknown): value is BinaryFile {
	const { mimeType, id, data, fileName } = Object(value) as Record<string, unknown>;
	const isOptionalText = (part: unknown) => part === undefined || typeof part === 'string';
	return typeof mimeType === 'string' && [id, data, fileName].every(isOptionalText);
}

/** A file in place of a URL. It gets a link right before the post is sent. */
export class MediaFile {
	constructor(readonly binary: BinaryFile) {}

	get name() {
		return this.binary.fileName || 'a file without a name';
	}

	/**
	 * Identifies the file in all retries. n8n may move a stored file, but the last part of its ID
	 * stays. A link cannot identify it, because each one is different.
	 */
	get identity() {
		const { id, data = '' } = this.binary;
		if (id) return `file ${id.split(/[:/]/).at(-1)}`;
		return `file ${createHash('sha256').update(data).digest('base64url')}`;
	}
}

/** The facts about a file, or about the file to which a link leads. */
export interface FileFacts {
	/** Size in bytes. */
	bytes?: number;
	/** What the first bytes say. */
	media?: Media;
	/** The type that n8n sends with a stored file. */
	servedType?: string;
	/** The copy that n8n stores, if the file itself cannot have a link. */
	stored?: BinaryFile;
	/** The first bytes of the file to which a link leads. */
	head?: Buffer;
}

/** The facts about the links and files of a post. */
export type FoundMedia = ReadonlyMap<string | MediaFile, FileFacts>;

/** Reads the first bytes of a stream, and closes it. */
export async function readHead(
	stream: AsyncIterable<Uint8Array>,
	maxBytes = MEDIA_HEAD_BYTES,
): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of stream) {
		chunks.push(chunk);
		length += chunk.length;
		if (length >= maxBytes) break;
	}
	return Buffer.concat(chunks).subarray(0, maxBytes);
}

/**
 * Recognizes an image or a video by its first bytes. The name of a file and its declared type are not
 * used, because they may be wrong.
 */
export function readMedia(head: Buffer): Media | undefined {
	const text = (start: number, end: number) => head.toString('latin1', start, end);
	if (text(0, 3) === '\xff\xd8\xff') {
		return { kind: 'image', format: 'JPEG', ...withinHead(() => jpegSize(head)) };
	}
	if (text(0, 8) === '\x89PNG\r\n\x1a\n') {
		return { kind: 'image', format: 'PNG', ...withinHead(() => pngSize(head)) };
	}
	if (/^GIF8[79]a$/.test(text(0, 6))) return { kind: 'image', format: 'GIF' };
	if (/^RIFF.{4}WEBP$/s.test(text(0, 12))) return { kind: 'image', format: 'WebP' };
	const [other] = others.find(([, start]) => start.test(text(0, 2000))) ?? [];
	if (other) return { kind: 'other', format: other };
	const brand = text(4, 8) === 'ftyp' ? text(8, 12) : '';
	if (IMAGE_BRAND.test(brand)) {
		return { kind: 'image', format: brand.startsWith('av') ? 'AVIF' : 'HEIC' };
	}
	if (brand === '' || OTHER_BRAND.test(brand)) return undefined;
	const format = brand === 'qt  ' ? 'QuickTime' : 'MP4';
	const { hasVideo, ...facts } = withinHead(() => trackFacts(head));
	return hasVideo === false
		? { kind: 'other', format: 'audio' }
		: { kind: 'video', format, ...facts };
}

const IMAGE_BRAND = /^(he[iv][cmsx]|avi[fs]|miaf|mif1|msf1)$/;

/** Brands of raw or other images. Every other brand is one of videos (https://mp4ra.org). */
const OTHER_BRAND = /^(crx |jxl |jp[2xm] |mjp2|mj2s|F4P )$/;

interface Size {
	width: number;
	height: number;
}

/** Reading beyond the first bytes throws a RangeError. */
function withinHead<T extends object>(read: () => T): Partial<T> {
	try {
		return read();
	} catch {
		return {};
	}
}

/** PNG, section 11.2.1: the IHDR chunk is the first one. */
const pngSize = (head: Buffer): Size => ({
	width: head.readUInt32BE(16),
	height: head.readUInt32BE(20),
});

/** The size is in the first frame header (ITU-T T.81, section B.2.2). Cameras may turn it by Exif data. */
function jpegSize(head: Buffer): Partial<Size> {
	let isTurned = false;
	for (let at = 2; ;) {
		const marker = head.readUInt16BE(at);
		const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![4, 8, 12].includes(marker & 15);
		if (isFrame) {
			const [height, width] = [head.readUInt16BE(at + 5), head.readUInt16BE(at + 7)];
			return isTurned ? { width: height, height: width } : { width, height };
		}
		// A frame header comes before the image data.
		if (marker < 0xff00 || marker === 0xffda) return {};
		const end = at + 2 + head.readUInt16BE(at + 2);
		if (marker === 0xffe1) isTurned ||= isTurnedByExif(head.subarray(at + 4, end));
		at = end;
	}
}

/** Exif 2.3, section 4.6: the orientations 5 to 8 exchange width and height. */
function isTurnedByExif(segment: Buffer) {
	if (segment.toString('latin1', 0, 6) !== 'Exif\0\0') return false;
	const tiff = segment.subarray(6);
	const isLittle = tiff.toString('latin1', 0, 2) === 'II';
	// The entry of the orientation: its number, the type of its value, and the count of values.
	const entry = isLittle ? '\x12\x01\x03\0\x01\0\0\0' : '\x01\x12\0\x03\0\0\0\x01';
	const at = tiff.indexOf(entry, 0, 'latin1') + entry.length;
	return at >= entry.length && tiff.subarray(at, at + 2).some((byte) => byte >= 5 && byte <= 8);
}

/** ISO/IEC 14496-12, sections 8.2.2 and 8.4.3: the boxes `mvhd` and `hdlr` in the box `moov`. */
function trackFacts(head: Buffer): { seconds?: number; hasVideo?: boolean } {
	const movie = boxOf(head, 'moov');
	const isWhole = head.readUInt32BE(movie.byteOffset - head.byteOffset - 8) === movie.length + 8;
	const hasVideo = !isWhole || !movie.includes('soun') || movie.includes('vide');
	const header = boxOf(movie, 'mvhd');
	const isLong = header.readUInt8(0) === 1;
	const scale = header.readUInt32BE(isLong ? 20 : 12);
	const length = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
	// All bits are set if the duration is not known.
	const isKnown = length > 0 && length < (isLong ? 2 ** 64 : 2 ** 32 - 1);
	return { hasVideo, ...(scale > 0 && isKnown && { seconds: length / scale }) };
}

/**
 * The content of the first box of a type (ISO/IEC 14496-12, section 4.2).
 *
 * @throws RangeError if there is no such box
 */
function boxOf(bytes: Buffer, type: string) {
	for (let at = 0; ;) {
		const short = bytes.readUInt32BE(at);
		const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short || bytes.length;
		const start = at + (short === 1 ? 16 : 8);
		const isFound = bytes.toString('latin1', at + 4, at + 8) === type;
		at += size;
		if (isFound) return bytes.subarray(start, at);
		if (size < 8) throw new RangeError(`There is no box ${type}`);
	}
}
