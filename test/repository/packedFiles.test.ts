import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strayAndMissing } from '../scan/contents';

const sources = [
	'credentials/My.credentials.ts',
	'nodes/My/My.node.ts',
	'nodes/My/My.node.json',
	'nodes/My/my.svg',
	'nodes/My/actions/post.ts',
	'nodes/My/__schema__/v1.0.0/post/create.json',
];
const packed = [
	...['LICENSE', 'README.md', 'package.json', 'dist/credentials/My.credentials.js'],
	...['dist/nodes/My/My.node.js', 'dist/nodes/My/My.node.json', 'dist/nodes/My/my.svg'],
	...['dist/nodes/My/actions/post.js', 'dist/nodes/My/__schema__/v1.0.0/post/create.json'],
];

let root: string;
beforeAll(() => {
	root = mkdtempSync(join(tmpdir(), 'packed-'));
	for (const path of sources) {
		mkdirSync(join(root, dirname(path)), { recursive: true });
		writeFileSync(join(root, path), '');
	}
});
afterAll(() => rmSync(root, { recursive: true }));

describe('strayAndMissing', () => {
	test('accepts the built sources and the files that npm adds', () => {
		expect(strayAndMissing(root, packed)).toEqual([]);
	});

	test.each([
		'dist/nodes/My/My.node.js.map',
		'dist/nodes/My/My.node.d.ts',
		'dist/nodes/My/Removed.node.js',
		'dist/test/unit/my.test.js',
		'nodes/My/My.node.ts',
		'docs/picture.png',
		'tsconfig.tsbuildinfo',
		'.npmrc',
	])('reports the superfluous file %s', (path) => {
		expect(strayAndMissing(root, [...packed, path])).toEqual([
			`${path} is in the package, but is not needed.`,
		]);
	});

	test.each(packed)('reports the missing file %s', (path) => {
		const others = packed.filter((other) => other !== path);
		expect(strayAndMissing(root, others)).toEqual([`${path} is missing from the package.`]);
	});
});
