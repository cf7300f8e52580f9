import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const docs = readdirSync(join(root, 'docs'))
	.filter((name) => name.endsWith('.md'))
	.map((name) => join('docs', name));

/** The text of each document for users, by its path from the root of the repository. */
export const pages = new Map(
	['README.md', 'SECURITY.md', ...docs].map((path) => [
		path,
		readFileSync(join(root, path), 'utf8'),
	]),
);
