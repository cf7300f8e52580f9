import { createHash } from 'node:crypto';

/** What the first bytes of an image or video say about it. */
export interface Media {
	kind: 'image' | 'video';
	format: keyof typeof mediaTypes;
	/** In pixels, as shown; absent when the bytes do not reach that far. */
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
	TIFF: 'image/tiff',
	BMP: 'image/bmp',
	MP4: 'video/mp4',
	QuickTime: 'video/quicktime',
	WebM: 'video/webm',
	Matroska: 'video/matroska',
	AVI: 'video/vnd.avi',
};

/** A file as n8n describes it. It has an `id` if n8n stores it, otherwise its content as base64. */
export interface BinaryFile {
	id?: string;
	data?: string;
	mimeType: string;
	fileName?: string;
}

/** Whether a value is what n8n gives for a file, such as `{{ $binary.data }}`. */
export function isBinaryFile(value: unknown): value is BinaryFile {
	const { mimeType, url, id, data, fileName } = Object(value) as Record<string, unknown>;
	const isOptionalText = (part: unknown) => part === undefined || typeof part === 'string';
	return (
		typeof mimeType === 'string' && url === undefined && [id, data, fileName].every(isOptionalText)
	);
}

/** A file in place of a URL. It gets a link right before the post is sent. */
export class MediaFile {
	/** The copy that n8n stores, if the file itself cannot have a link. */
	stored?: BinaryFile;

	/** The type that n8n sends with the file; set when a stored file has been read. */
	servedType?: string;

	/** Size in bytes; set when the file has been read. */
	bytes?: number;

	/** What the first bytes say; set when the file has been read. */
	media?: Media;

	constructor(readonly binary: BinaryFile) {}

	get name(): string {
		return this.binary.fileName ?? 'a file without a name';
	}

	/**
	 * Identifies the file in all retries. n8n may move a stored file, but the last part of its ID stays. A
	 * link cannot identify it, because each one is different.
	 */
	get identity(): string {
		const { id, data = '' } = this.binary;
		if (id) return `file ${id.split(/[:/]/).at(-1)}`;
		return `file ${createHash('sha256').update(data).digest('base64url')}`;
	}

	/** What a user sees in place of the link. */
	get description(): object {
		const { media, bytes, binary } = this;
		const type = media ? mediaTypes[media.format] : binary.mimeType;
		return { file: this.name, type, bytes, width: media?.width, height: media?.height };
	}
}

/**
 * Recognizes an image or a video by its first bytes. The name of a file and its declared type are not
 * used, because they may be wrong.
 */
export function readMedia(head: Buffer): Media | undefined {
	const text = (start: number, end: number) => head.toString('latin1', start, end);
	const image = (format: Media['format'], read: () => Size): Media => {
		const { width, height } = withinHead(read);
		return { kind: 'image', format, ...(width && height && { width, height }) };
	};
	if (text(0, 3) === '\xff\xd8\xff') return image('JPEG', () => jpegSize(head));
	if (text(0, 8) === '\x89PNG\r\n\x1a\n') {
		// PNG, section 11.2.1: the IHDR chunk is the first one.
		return image('PNG', () => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) }));
	}
	if (/^GIF8[79]a$/.test(text(0, 6))) {
		return image('GIF', () => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }));
	}
	if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') {
		return image('WebP', () => webpSize(head));
	}
	if (/^(II\*\0|MM\0\*)/.test(text(0, 4))) return { kind: 'image', format: 'TIFF' };
	if (/^BM.{4}\0{4}/s.test(text(0, 10))) return { kind: 'image', format: 'BMP' };
	if (/^RIFF.{4}AVI /s.test(text(0, 12))) return { kind: 'video', format: 'AVI' };
	if (text(0, 4) === '\x1a\x45\xdf\xa3') {
		return { kind: 'video', format: text(4, 64).includes('webm') ? 'WebM' : 'Matroska' };
	}
	const brand = brandOf(text(0, 12));
	if (brand === undefined || /^M4[AB] $/.test(brand)) return undefined;
	if (/^(he[iv][cmsx]|mif1|msf1)$/.test(brand)) return { kind: 'image', format: 'HEIC' };
	if (/^avi[fs]$/.test(brand)) return { kind: 'image', format: 'AVIF' };
	const format = brand === 'qt  ' ? 'QuickTime' : 'MP4';
	return { kind: 'video', format, ...withinHead(() => movieFacts(head)) };
}

/** The brand of an MP4 file or its relatives. The oldest QuickTime files state none. */
function brandOf(start: string): string | undefined {
	if (start.slice(4, 8) === 'ftyp') return start.slice(8);
	return /^[\0-\x1f].{3}(moov|mdat|wide)/s.test(start) ? 'qt  ' : undefined;
}

interface Size {
	width?: number;
	height?: number;
}

/** Reading beyond the first bytes throws a RangeError. */
function withinHead<T extends object>(read: () => T): Partial<T> {
	try {
		return read();
	} catch {
		return {};
	}
}

/** The size is in the first frame header (ITU-T T.81, section B.2.2). Cameras may turn it by Exif data. */
function jpegSize(head: Buffer): Size {
	let isTurned: boolean | undefined;
	for (let at = 2; ;) {
		const marker = head.readUInt16BE(at);
		if (marker === 0xffff) {
			at++;
			continue;
		}
		const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![4, 8, 12].includes(marker & 15);
		if (isFrame) {
			const [height, width] = [head.readUInt16BE(at + 5), head.readUInt16BE(at + 7)];
			return isTurned ? { width: height, height: width } : { width, height };
		}
		// A frame header comes before the image data.
		if (marker < 0xff00 || marker === 0xffda) return {};
		const end = at + 2 + head.readUInt16BE(at + 2);
		if (marker === 0xffe1) isTurned ??= isTurnedByExif(head.subarray(at + 4, end));
		at = end;
	}
}

/**
 * Exif 2.3, section 4.6: the orientations 5 to 8 exchange width and height.
 *
 * @returns undefined if the segment contains other data
 */
function isTurnedByExif(segment: Buffer): boolean | undefined {
	if (segment.toString('latin1', 0, 6) !== 'Exif\0\0') return undefined;
	const tiff = segment.subarray(6);
	const isLittle = tiff.toString('latin1', 0, 2) === 'II';
	const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
	const long = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
	try {
		const directory = long(4);
		const end = directory + 2 + 12 * short(directory);
		for (let at = directory + 2; at < end; at += 12) {
			if (short(at) === 0x0112) return short(at + 8) >= 5;
		}
	} catch {
		// The directory is damaged.
	}
	return false;
}

/** RFC 9649, sections 2.5 to 2.7: a lossy, a lossless or an extended file. */
function webpSize(head: Buffer): Size {
	const chunk = head.toString('latin1', 12, 16);
	if (chunk === 'VP8X') {
		return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
	}
	if (chunk === 'VP8L') {
		const bits = head.readUInt32LE(21);
		return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
	}
	return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
}

/** ISO/IEC 14496-12, sections 8.2.2 and 8.3.2: the boxes `moov`, `mvhd` and `tkhd`. */
function movieFacts(head: Buffer): Size & { seconds?: number } {
	const movie = boxes(head).find(({ type }) => type === 'moov')?.content;
	if (!movie) return {};
	const parts = boxes(movie);
	const header = parts.find(({ type }) => type === 'mvhd')?.content;
	const tracks = parts
		.filter(({ type }) => type === 'trak')
		.flatMap(({ content }) => boxes(content));
	const sizes = tracks
		.filter(({ type }) => type === 'tkhd')
		.map(({ content }) => trackSize(content));
	return { ...(header && duration(header)), ...sizes.find(({ width, height }) => width && height) };
}

function duration(header: Buffer): { seconds?: number } {
	const isLong = header.readUInt8(0) === 1;
	const scale = header.readUInt32BE(isLong ? 20 : 12);
	const length = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
	return scale > 0 && length > 0 ? { seconds: length / scale } : {};
}

/** An audio track has the size 0. A phone stores a portrait video turned by 90 degrees. */
function trackSize(header: Buffer): Size {
	const matrix = header.readUInt8(0) === 1 ? 52 : 40;
	const [width, height] = [header.readUInt16BE(matrix + 36), header.readUInt16BE(matrix + 40)];
	const isTurned = header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 4) !== 0;
	return isTurned ? { width: height, height: width } : { width, height };
}

interface Box {
	type: string;
	content: Buffer;
}

/** The boxes of a buffer (ISO/IEC 14496-12, section 4.2). The last one may be incomplete. */
function boxes(bytes: Buffer): Box[] {
	const found: Box[] = [];
	for (let at = 0; at + 16 <= bytes.length;) {
		const short = bytes.readUInt32BE(at);
		const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short || bytes.length;
		const start = at + (short === 1 ? 16 : 8);
		if (at + size < start) break;
		const type = bytes.toString('latin1', at + 4, at + 8);
		found.push({ type, content: bytes.subarray(start, at + size) });
		at += size;
	}
	return found;
}
