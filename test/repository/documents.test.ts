import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import packageJson from '../../package.json';
import { anchorsIn, codeIn, linksIn, read } from './documents';
import { repositoryFiles, root } from './repositoryFiles';

const documents = repositoryFiles().filter((path) => path.endsWith('.md'));
const isOutside = (link: string) => /^[a-z]+:/.test(link);

/** Returns the target of a link as a path from the root. A link to an anchor leads to its own document. */
function targetOf(link: string, from: string): { path: string; anchor: string | undefined } {
	const [path = '', anchor] = link.split('#');
	return { path: path ? join(dirname(from), path) : from, anchor };
}

describe.each(documents)('%s', (document) => {
	test('links only to files and headings that exist', () => {
		const broken = linksIn(read(document))
			.filter((link) => !isOutside(link))
			.filter((link) => {
				const { path, anchor } = targetOf(link, document);
				if (!existsSync(join(root, path))) return true;
				return anchor !== undefined && !anchorsIn(read(path)).includes(anchor);
			});
		expect(broken).toEqual([]);
	});

	test('names only files and folders that exist', () => {
		const paths = codeIn(read(document)).filter(
			(code) =>
				/^(\.ci|\.github|credentials|docs|examples|nodes|test)\/[^\s<*{}…]*$/.test(code) && code,
		);
		expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
	});

	test('names only commands that package.json defines', () => {
		const names = [...read(document).matchAll(/npm run\s+([\w:]+)/g)].map(([, name]) => name);
		expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(names));
	});
});

describe('The README', () => {
	const readme = read('README.md');

	test('has at most 300 lines and 22,000 bytes', () => {
		expect(readme.split('\n').length).toBeLessThanOrEqual(300);
		expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(22_000);
	});

	test('links to every page of the documentation', () => {
		const linked = linksIn(readme).map((link) => targetOf(link, 'README.md').path);
		const pages = documents.filter((path) => !path.startsWith('.github/'));
		expect(linked).toEqual(expect.arrayContaining(pages.filter((path) => path !== 'README.md')));
	});
});

describe('Pictures', () => {
	const pictures = repositoryFiles('docs').filter((path) => /\.(png|jpe?g|gif|webp)$/.test(path));

	test('are shown in a document', () => {
		const shown = documents.flatMap((document) =>
			linksIn(read(document)).map((link) => targetOf(link, document).path),
		);
		expect(pictures).not.toEqual([]);
		expect(pictures.filter((path) => !shown.includes(path))).toEqual([]);
	});

	test('have less than 200 kB', () => {
		const isLarge = (path: string) => statSync(join(root, path)).size >= 200_000;
		expect(pictures.filter(isLarge)).toEqual([]);
	});
});

describe("The links to this repository's pages", () => {
	const REPOSITORY = packageJson.homepage.replace(/#.*/, '');
	const links = repositoryFiles()
		.filter((path) => /^(nodes|credentials|examples)\//.test(path))
		.flatMap((path) => read(path).match(/https:\/\/github\.com\/[\w./#-]+[\w/]/g) ?? [])
		.filter((link) => link.startsWith(REPOSITORY));

	test('in nodes, credentials and examples lead to pages and headings that exist', () => {
		const broken = links.filter((link) => {
			const [page, anchor] = link.slice(REPOSITORY.length).split('#');
			const path = page ? page.replace('/blob/main/', '') : 'README.md';
			if (!existsSync(join(root, path))) return true;
			return anchor !== undefined && !anchorsIn(read(path)).includes(anchor);
		});
		expect(broken).toEqual([]);
	});

	test.each([
		...['#credentials', 'operations.md', 'trigger.md', 'agents.md', 'files.md'],
		...[
			'never-twice.md#deduplication-key',
			'trigger.md#nothing-arrives',
			'platform-assumptions.md',
		],
	])('include %s', (end) => {
		expect(links.filter((link) => link.endsWith(end))).not.toEqual([]);
	});
});
