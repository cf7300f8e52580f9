import fc from 'fast-check';
import { formatOf, MAX_HEAD_BYTES } from '../../../nodes/SocialOpenPlatform/post/media/formats';
import { withinTimeLimit } from '../hostileValues';
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

describe('formatOf', () => {
	test.each([
		['jpeg', { kind: 'image', name: 'JPEG', type: 'image/jpeg', ...size }],
		['png', { kind: 'image', name: 'PNG', type: 'image/png', ...size }],
		['gif', { kind: 'image', name: 'GIF', type: 'image/gif' }],
		['webp', { kind: 'image', name: 'WebP', type: 'image/webp' }],
		['mp4', { kind: 'video', name: 'MP4', type: 'video/mp4' }],
	] as const)('reads the format and the dimensions of %s', (name, format) => {
		expect(formatOf(samples[name])).toEqual(format);
	});

	/** A JPEG with a segment at its beginning. */
	const jpegWith = (marker: number, content: Buffer) => {
		const jpeg = jpegOf(1080, 1350);
		return Buffer.concat([jpeg.subarray(0, 2), segment(marker, content), jpeg.subarray(2)]);
	};

	test('reads the dimensions of a JPEG after a color profile of 50 kB', () => {
		const format = formatOf(jpegWith(0xffe2, Buffer.alloc(50_000, 0xff)));
		expect(format).toMatchObject({ width: 1080, height: 1350 });
	});

	test('returns no dimensions of a JPEG that Exif data may turn', () => {
		const format = formatOf(jpegWith(0xffe1, Buffer.from('Exif\0\0MM\0*', 'latin1')));
		expect(format).toEqual({ kind: 'image', name: 'JPEG', type: 'image/jpeg' });
	});

	test.each([
		['qt  ', { kind: 'video', name: 'MOV' }],
		['heic', { kind: 'image', name: 'HEIC' }],
		['avif', { kind: 'image', name: 'AVIF' }],
		['hevx', { kind: 'image', name: 'HEIC' }],
		['mif1', { kind: 'image', name: 'HEIC' }],
		['miaf', { kind: 'image', name: 'HEIC' }],
	])('recognizes the brand %s', (brand, format) => {
		expect(formatOf(fileType(brand))).toMatchObject(format);
	});

	test.each(['isom', 'avc1', 'M4V ', '3gp5', 'XAVC', 'xxxx'])(
		'recognizes an MP4 video by the brand %s',
		(brand) => {
			expect(formatOf(fileType(brand))).toMatchObject({ kind: 'video', name: 'MP4' });
		},
	);

	test.each(['crx ', 'jxl ', 'jp2 ', 'mjp2', 'M4A ', 'F4A ', 'aax '])(
		'recognizes neither an image nor a video in the brand %s',
		(brand) => {
			expect(formatOf(fileType(brand))).toBeUndefined();
			expect(formatOf(fileType(brand, 'mp42isom'))).toBeUndefined();
		},
	);

	const filled = (start: Buffer, part: Buffer) =>
		Buffer.concat([start, Buffer.alloc(MAX_HEAD_BYTES, part)]);
	test.each([
		['segments', filled(Buffer.from([0xff, 0xd8]), segment(0xffe2, Buffer.alloc(0)))],
		['boxes', filled(fileType('isom'), box('free', 8))],
	])('reads a file full of %s quickly', (_, file) => {
		const format = withinTimeLimit(() => formatOf(file));
		expect(format).toBeDefined();
		expect(format).not.toHaveProperty('width');
	});

	test.each([
		['text', 'Hello, this is no image'],
		['a web page', '<!doctype html><title>Sign in</title>'],
		['a TIFF image', 'II*\0\x08\0\0\0'],
		['a WebM video', '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm'],
		['text with a box type', 'See moov and mdat'],
		['an SVG image', '<svg xmlns="http://www.w3.org/2000/svg">'],
		['an audio file', 'RIFF\x24\0\0\0WAVEfmt '],
	])('recognizes neither an image nor a video in %s', (_, text) => {
		expect(formatOf(Buffer.from(text, 'latin1'))).toBeUndefined();
	});

	test('reads any damaged file without throwing', () => {
		const kinds = fc.constantFrom(...Object.values(samples));
		const damaged = fc.tuple(kinds, fc.nat(), fc.uint8Array({ maxLength: 40 }), fc.nat());
		fc.assert(
			fc.property(damaged, ([sample, from, bytes, length]) => {
				const file = Buffer.from(sample);
				file.set(bytes, from % (file.length - bytes.length));
				formatOf(file.subarray(0, length % file.length));
			}),
			{ numRuns: 300 },
		);
	});
});
