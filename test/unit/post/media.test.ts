import { fileIssue, fileWarnings } from '../../../nodes/SocialOpenPlatform/post/media/limits';
import fc from 'fast-check';
import { MEDIA_HEAD_BYTES, readMedia } from '../../../nodes/SocialOpenPlatform/post/media/formats';
import { jpegOf, samples, segment } from './mediaSamples';

const size = { width: 40, height: 30 };

const box = (type: string, size: number, content = '') => {
	const bytes = Buffer.from(`\0\0\0\0${type}${content}`, 'latin1');
	bytes.writeUInt32BE(size);
	return bytes;
};

/** The box at the start of an MP4 file or its relatives: its brand, and the brands it is compatible with. */
const fileType = (brand: string, others = '') =>
	box('ftyp', 16 + others.length, `${brand}\0\0\0\0${others}`);

describe('readMedia', () => {
	test.each([
		['jpeg', { kind: 'image', format: 'JPEG', ...size }],
		['png', { kind: 'image', format: 'PNG', ...size }],
		['gif', { kind: 'image', format: 'GIF' }],
		['webp', { kind: 'image', format: 'WebP' }],
		['mp4', { kind: 'video', format: 'MP4', seconds: 0.542 }],
	] as const)('reads the format and the dimensions or the duration of %s', (name, media) => {
		expect(readMedia(samples[name])).toEqual(media);
	});

	test('reads the dimensions of a JPEG after a preview image of 100 kB', () => {
		const preview = segment(0xffe2, Buffer.alloc(50_000, 0xff));
		const jpeg = jpegOf(1080, 1350);
		const large = Buffer.concat([jpeg.subarray(0, 2), preview, preview, jpeg.subarray(2)]);
		expect(readMedia(large)).toMatchObject({ width: 1080, height: 1350 });
	});

	test.each(['II', 'MM'])('exchanges width and height if Exif data require it (%s)', (order) => {
		const exif = Buffer.alloc(32);
		const short = order === 'II' ? exif.writeUInt16LE.bind(exif) : exif.writeUInt16BE.bind(exif);
		const long = order === 'II' ? exif.writeUInt32LE.bind(exif) : exif.writeUInt32BE.bind(exif);
		exif.write(`Exif\0\0${order}`, 'latin1');
		long(8, 10);
		short(1, 14);
		short(0x0112, 16);
		short(3, 18);
		long(1, 20);
		short(6, 24);
		const jpeg = jpegOf(4032, 3024);
		const camera = [jpeg.subarray(0, 2), segment(0xffe1, exif), jpeg.subarray(2)];
		expect(readMedia(Buffer.concat(camera))).toMatchObject({ width: 3024, height: 4032 });
	});

	test('recognizes a video whose duration comes after its data', () => {
		const type = samples.mp4.subarray(0, samples.mp4.readUInt32BE(0));
		const data = Buffer.from('\x7f\xff\xff\xffmdat', 'latin1');
		const start = Buffer.concat([type, data, Buffer.alloc(1000)]);
		expect(readMedia(start)).toEqual({ kind: 'video', format: 'MP4' });
	});

	test.each([
		['qt  ', { kind: 'video', format: 'QuickTime' }],
		['heic', { kind: 'image', format: 'HEIC' }],
		['avif', { kind: 'image', format: 'AVIF' }],
		['hevx', { kind: 'image', format: 'HEIC' }],
		['mif1', { kind: 'image', format: 'HEIC' }],
		['miaf', { kind: 'image', format: 'HEIC' }],
	])('recognizes the brand %s', (brand, media) => {
		expect(readMedia(fileType(brand))).toEqual(media);
	});

	test.each(['isom', 'avc1', 'M4V ', '3gp5', 'XAVC', 'xxxx'])(
		'recognizes an MP4 video by the brand %s',
		(brand) => {
			expect(readMedia(fileType(brand))).toEqual({ kind: 'video', format: 'MP4' });
		},
	);

	test.each([
		'crx ',
		'jxl ',
		'jp2 ',
		'jpx ',
		'mjp2',
		'M4A ',
		'M4B ',
		'M4P ',
		'F4A ',
		'F4B ',
		'aax ',
	])('recognizes neither an image nor a video in the brand %s', (brand) => {
		expect(readMedia(fileType(brand))?.kind ?? 'other').toBe('other');
		expect(readMedia(fileType(brand, 'mp42isom'))?.kind ?? 'other').toBe('other');
	});

	test('returns no duration for a video that does not state it', () => {
		const header = samples.mp4.indexOf('mvhd') + 4;
		const long = Buffer.from(samples.mp4);
		long.fill(0xff, header + 24, header + 32);
		const short = Buffer.from(samples.mp4);
		short.writeUInt8(0, header);
		short.writeUInt32BE(1000, header + 12);
		short.fill(0xff, header + 16, header + 20);
		for (const video of [short, long]) {
			expect(readMedia(video)).toEqual({ kind: 'video', format: 'MP4' });
		}
	});

	const exifOf = (entries: number) => {
		const exif = Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\0', 'latin1');
		exif.writeUInt16BE(entries, 14);
		return segment(0xffe1, exif);
	};
	const filled = (start: Buffer, part: Buffer) =>
		Buffer.concat([start, Buffer.alloc(MEDIA_HEAD_BYTES, part)]);
	const type = box('ftyp', 16, 'isom\0\0\0\0');
	test.each([
		['segments', filled(Buffer.from([0xff, 0xd8]), segment(0xffe2, Buffer.alloc(0)))],
		['Exif directories', filled(Buffer.from([0xff, 0xd8]), exifOf(0xffff))],
		['boxes', filled(type, box('free', 8))],
		['boxes of size 0', filled(type, box('moov', 0))],
		['boxes of size 1', filled(type, box('moov', 1, '\0\0\0\0\0\0\0\x10'))],
		['huge boxes', filled(type, box('moov', 1, '\xff\xff\xff\xff\xff\xff\xff\xff'))],
	])('reads a file full of %s quickly', (_, file) => {
		readMedia(file);
		const started = performance.now();
		const media = readMedia(file);
		expect(performance.now() - started).toBeLessThan(1_000);
		expect(media).toBeDefined();
		expect(media).not.toHaveProperty('width');
	});

	test.each([
		['nothing', ''],
		['text', 'Hello, this is no image'],
		['a web page', '<!doctype html><title>Sign in</title>'],
		['a PDF', '%PDF-1.7\n'],
		['a ZIP archive', 'PK\x03\x04'],
		['a TIFF image', 'II*\0\x08\0\0\0'],
		['a WebM video', '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm'],
		['text with a box type', 'See moov and mdat'],
	])('recognizes neither an image nor a video in %s', (_, text) => {
		expect(readMedia(Buffer.from(text, 'latin1'))).toBeUndefined();
	});

	test.each([
		['SVG', '<svg xmlns="http://www.w3.org/2000/svg">'],
		[
			'SVG',
			'<?xml version="1.0"?>\n<!-- Icon -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN">\n<svg>',
		],
		['WMV', '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9'],
		['FLV', 'FLV\x01\x05\0\0\0\x09'],
		['MPEG-TS', `G${'\0'.repeat(187)}G${'\0'.repeat(187)}G`],
		['audio', 'RIFF\x24\0\0\0WAVEfmt '],
		['audio', '\0\0\0\x20ftypM4A \0\0\0\0'],
		['audio', 'ID3\x04\0\0'],
		['audio', samples.mp4.toString('latin1').replaceAll('vide', 'soun')],
	])('recognizes %s in %j', (format, text) => {
		const media = readMedia(Buffer.from(text, 'latin1'));
		expect(media).toEqual({ kind: 'other', format });
		const reason = `is ${format}; use JPEG, PNG, GIF, WebP or MP4`;
		expect(fileIssue({ media }, 'POST')).toBe(reason);
		expect(fileIssue({ media }, 'REEL', true)).toBe(reason);
	});

	test('warns of a video whose index is at its end, but does not report a video with a cut-off index as audio', () => {
		const content = Buffer.from('\x7f\0\0\0mdat', 'latin1');
		const media = readMedia(Buffer.concat([samples.mp4.subarray(0, 36), content]));
		expect(fileWarnings({ media }, 'REEL')).toStrictEqual([
			'is a video whose dimensions and duration could not be read, because its index is not at the beginning; check them yourself',
		]);
		const sound = Buffer.from(samples.mp4.toString('latin1').replaceAll('vide', 'soun'), 'latin1');
		expect(readMedia(sound.subarray(0, 700))).toMatchObject({ kind: 'video', seconds: 0.542 });
	});

	test('reads any damaged file without throwing', () => {
		const kinds = fc.constantFrom(...Object.values(samples));
		const damaged = fc.tuple(kinds, fc.nat(), fc.uint8Array({ maxLength: 40 }), fc.nat());
		fc.assert(
			fc.property(damaged, ([sample, from, bytes, length]) => {
				const file = Buffer.from(sample);
				file.set(bytes, from % (file.length - bytes.length));
				readMedia(file.subarray(0, length % file.length));
			}),
			{ numRuns: 300 },
		);
	});
});
