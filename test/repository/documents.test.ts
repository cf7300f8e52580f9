import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import packageJson from '../../package.json';
import { anchorsIn, linksIn, read } from './documents';
import { PAGE, pageWithTables } from './fieldTable';
import { repositoryFiles, root } from './repositoryFiles';

const documents = repositoryFiles().filter((path) => path.endsWith('.md'));

/** Whether a path from the root exists and, if it has an anchor, contains its heading. */
function exists(target: string): boolean {
	const [path = '', anchor] = target.split('#');
	if (!existsSync(join(root, path))) return false;
	return anchor === undefined || anchorsIn(read(path)).includes(anchor);
}

test.each(documents)('%s names only tests, files and headings that exist', (document) => {
	const page = read(document);
	const tests = [...page.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path]) => path!);
	const targets = linksIn(page)
		.filter((link) => !/^[a-z]+:/.test(link))
		.map((link) => (link.startsWith('#') ? document + link : join(dirname(document), link)));
	expect([...tests, ...targets].filter((target) => !exists(target))).toEqual([]);
});

test("The links in nodes, credentials and examples to this repository's pages work", () => {
	const repository = packageJson.homepage.replace(/#.*/, '');
	const targets = repositoryFiles()
		.filter((path) => /^(nodes|credentials|examples)\//.test(path))
		.flatMap((path) => read(path).match(/https:\/\/github\.com\/[\w./#-]+[\w/]/g) ?? [])
		.filter((link) => link.startsWith(repository))
		.map((link) => link.slice(repository.length).replace(/^\/blob\/main\/|^(?=#)/, ''))
		.map((link) => (link.startsWith('#') || link === '' ? `README.md${link}` : link));
	expect(targets).not.toEqual([]);
	expect(targets.filter((target) => !exists(target))).toEqual([]);
});

test('The tables in docs/operations.md follow from the fields (npx tsx test/repository/fieldTable.ts)', async () => {
	expect(await pageWithTables()).toBe(read(PAGE));
});
