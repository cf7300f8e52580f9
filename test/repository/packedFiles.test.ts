import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strayAndMissing } from '../scan/contents';

const sources = [
	'credentials/My.credentials.ts',
	'nodes/My/My.node.ts',
	'nodes/My/My.node.json',
	'nodes/My/my.svg',
	'nodes/My/__schema__/v1.0.0/post/create.json',
];
const packed = [
	...['LICENSE', 'README.md', 'package.json', 'dist/credentials/My.credentials.js'],
	...['dist/nodes/My/My.node.js', 'dist/nodes/My/My.node.json', 'dist/nodes/My/my.svg'],
	'dist/nodes/My/__schema__/v1.0.0/post/create.json',
];
const stray = [
	...['dist/nodes/My/My.node.js.map', 'dist/nodes/My/Removed.node.js', 'nodes/My/My.node.ts'],
	...['dist/test/unit/my.test.js', 'docs/picture.png', '.npmrc'],
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

test('Only the built sources and the files that npm adds are accepted', () => {
	expect(strayAndMissing(root, packed)).toEqual([]);
	expect(strayAndMissing(root, [...packed, ...stray]).sort()).toEqual(
		stray.map((path) => `${path} is in the package, but is not needed.`).sort(),
	);
});

test.each(packed)('The missing file %s is reported', (path) => {
	const others = packed.filter((other) => other !== path);
	expect(strayAndMissing(root, others)).toEqual([`${path} is missing from the package.`]);
});
