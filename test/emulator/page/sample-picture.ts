import { crc32, deflateSync } from 'node:zlib';

const PALETTES = [
	[0xf6d365, 0xfda085, 0x7a3b2e],
	[0xa1c4fd, 0xc2e9fb, 0x274472],
	[0xd4fc79, 0x96e6a1, 0x1f5f3f],
	[0xfbc2eb, 0xa6c1ee, 0x4b2e6b],
	[0x89f7fe, 0x66a6ff, 0x123a6b],
] as const;

/** Pixels on each side. */
const SIZE = 400;

/** A small landscape in PNG; the same name gives the same picture. */
export function samplePicture(name: string): Buffer {
	const hash = Array.from(name).reduce(
		(sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) >>> 0,
		7,
	);
	const [sky, glow, hill] = PALETTES[hash % PALETTES.length] ?? PALETTES[0];
	const sunX = 80 + ((hash >>> 3) % 240);
	const wave = 30 + ((hash >>> 7) % 40);
	const shift = (hash >>> 5) % 120;
	const colorAt = (x: number, y: number): number => {
		const far = 290 - wave * Math.sin((x + shift) / 60);
		const near = 335 + 20 * Math.sin((x - shift) / 90);
		if (y > near) return hill;
		if (y > far) return mix(glow, hill, 0.5);
		const isSun = (x - sunX) ** 2 + (y - 115) ** 2 < 39 ** 2;
		return isSun ? 0xffffff : mix(sky, glow, y / SIZE);
	};
	const rows = Buffer.alloc(SIZE * (1 + 3 * SIZE));
	for (let y = 0; y < SIZE; y++) {
		for (let x = 0; x < SIZE; x++) {
			rows.writeUIntBE(colorAt(x, y), y * (1 + 3 * SIZE) + 1 + 3 * x, 3);
		}
	}
	const header = Buffer.from([
		0,
		0,
		SIZE >> 8,
		SIZE & 255,
		0,
		0,
		SIZE >> 8,
		SIZE & 255,
		8,
		2,
		0,
		0,
		0,
	]);
	return Buffer.concat([
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		chunk('IHDR', header),
		chunk('IDAT', deflateSync(rows)),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

function mix(from: number, to: number, share: number): number {
	const channel = (shift: number) => {
		const [a, b] = [(from >> shift) & 255, (to >> shift) & 255];
		return Math.round(a + (b - a) * share) << shift;
	};
	return channel(16) | channel(8) | channel(0);
}

/** A chunk of a PNG file: length, type, content, checksum. */
function chunk(type: string, content: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(type), content]);
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(content.length);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}
