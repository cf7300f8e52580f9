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
		return this.binary.fileName || 'a file without a name';
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
	const brands = brandsOf(head);
	const brand = brands.find((one) => IMAGE_BRAND.test(one) || VIDEO_BRAND.test(one));
	if (brand === undefined) return undefined;
	if (IMAGE_BRAND.test(brand)) {
		const stated = ANY_IMAGE_BRAND.test(brand) ? brands : [brand];
		const isAvif = stated.some((one) => /^avi[fs]$/.test(one));
		return { kind: 'image', format: isAvif ? 'AVIF' : 'HEIC' };
	}
	const facts = movieFacts(head);
	return facts && { kind: 'video', format: brand === 'qt  ' ? 'QuickTime' : 'MP4', ...facts };
}

/** Brands of images whose coding is stated by another brand. */
const ANY_IMAGE_BRAND = /^(miaf|mif1|msf1)$/;

const IMAGE_BRAND = /^(he[iv][cmsx]|avi[fs]|miaf|mif1|msf1)$/;

/** Registered brands of videos (https://mp4ra.org/registered-types/brands). */
const VIDEO_BRAND =
	/^(iso[m2-9a-c]|mp4[12]|avc1|av01|hvc1|M4V[ HP]|3g[2a-z][\da-z]|[Ff]4[Vv] |qt {2}|dash|cmf[2c]|MSNV|XAVC|mmp4|ND[SX][CHMPS]|CAEP|caqv|niko|pana)$/;

/** Brands of other files, which may state that they are compatible with a brand of videos. */
const OTHER_BRAND = /^(crx |jxl |jp[2xm] |mjp2|mj2s|M4[ABP] |F4[ABP] |aax )$/;

/** Maximum number of brands to read. Cameras state at most ten. */
const MAX_BRANDS = 64;

/**
 * The brand of an MP4 file or its relatives, and the brands it is compatible with. The oldest QuickTime
 * files state none.
 */
function brandsOf(head: Buffer): string[] {
	const text = (start: number, end: number) => head.toString('latin1', start, end);
	if (text(4, 8) !== 'ftyp') {
		const isQuickTime = head.length > 0 && head[0]! < 0x20 && /^(moov|mdat|wide)/.test(text(4, 8));
		return isQuickTime ? ['qt  '] : [];
	}
	const end = Math.min(head.readUInt32BE(0), 16 + 4 * MAX_BRANDS);
	const [major, others] = [text(8, 12), text(16, end).match(/.{4}/gs) ?? []];
	return OTHER_BRAND.test(major) ? [] : [major, ...others];
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

/**
 * ISO/IEC 14496-12, sections 8.2.2 and 8.3.2: the boxes `moov`, `mvhd` and `tkhd`.
 *
 * @returns undefined if the file has only tracks without a size, such as audio
 */
function movieFacts(head: Buffer): (Size & { seconds?: number }) | undefined {
	const [movie] = boxes(head, 'moov');
	if (!movie) return {};
	const [header] = boxes(movie.content, 'mvhd');
	const sizes = boxes(movie.content, 'trak')
		.flatMap(({ content }) => boxes(content, 'tkhd').slice(0, 1))
		.map(({ content }) => trackSize(content));
	const size = sizes.find(({ width, height }) => width && height);
	if (!size && sizes.length > 0 && movie.isComplete) return undefined;
	return { ...(header && withinHead(() => duration(header.content))), ...size };
}

function duration(header: Buffer): { seconds?: number } {
	const isLong = header.readUInt8(0) === 1;
	const scale = header.readUInt32BE(isLong ? 20 : 12);
	const length = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
	// All bits are set if the duration is not known.
	const isKnown = length > 0 && length < (isLong ? 2 ** 64 : 2 ** 32 - 1);
	return scale > 0 && isKnown ? { seconds: length / scale } : {};
}

/**
 * An audio track has the size 0, and a header that is cut off has none. A phone stores a portrait video
 * turned by 90 degrees.
 */
function trackSize(header: Buffer): Size {
	const matrix = header[0] === 1 ? 52 : 40;
	if (header.length < matrix + 42) return {};
	const [width, height] = [header.readUInt16BE(matrix + 36), header.readUInt16BE(matrix + 40)];
	const isTurned = header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 4) !== 0;
	return isTurned ? { width: height, height: width } : { width, height };
}

interface Box {
	content: Buffer;
	isComplete: boolean;
}

/** Maximum number of boxes of one type to read. Videos have a few tracks. */
const MAX_BOXES = 100;

/** The boxes of a type in a buffer (ISO/IEC 14496-12, section 4.2). The last one may be incomplete. */
function boxes(bytes: Buffer, type: string): Box[] {
	const found: Box[] = [];
	const code = Buffer.from(type, 'latin1').readUInt32BE();
	for (let at = 0; at + 16 <= bytes.length && found.length < MAX_BOXES;) {
		const short = bytes.readUInt32BE(at);
		const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short || bytes.length;
		const start = at + (short === 1 ? 16 : 8);
		const end = at + size;
		if (end < start) break;
		if (bytes.readUInt32BE(at + 4) === code) {
			const isComplete = short > 0 && end <= bytes.length;
			found.push({ content: bytes.subarray(start, end), isComplete });
		}
		at = end;
	}
	return found;
}
