import { existsSync } from 'node:fs';
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

test('The headings of the README that n8n links to exist', () => {
	const linked = repositoryFiles()
		.filter((path) => /^(nodes|credentials)\//.test(path))
		.flatMap((path) => [...read(path).matchAll(/https:\/\/github\.com\/[\w/-]+#([\w-]+)/g)])
		.map(([, anchor]) => anchor!);
	expect(linked).toContain('credentials');
	// GitHub adds the anchor `readme` to the page.
	expect(['readme', ...anchorsIn(read('README.md'))]).toEqual(expect.arrayContaining(linked));
});
