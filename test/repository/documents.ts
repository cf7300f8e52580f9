import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './repositoryFiles';

/** Finds links, code and quoted tests in the Markdown files of the repository. */

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The text without its code blocks, which contain no links. */
const prose = (text: string): string => text.replace(/^( *)```[^]*?^\1```$/gm, '');

/** The same with its lines joined, because sentences continue over line breaks. */
const joined = (text: string): string => prose(text).replace(/\s+/g, ' ');

/** The targets of its links and pictures, as they are written. */
export function linksIn(text: string): string[] {
	const outside = prose(text).replace(/`[^`\n]*`/g, '');
	return [...outside.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
}

/** The texts between backticks. */
export function codeIn(text: string): string[] {
	return [...joined(text).matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
}

/** The anchors that GitHub gives to headings. */
export function anchorsIn(text: string): string[] {
	const seen = new Map<string, number>();
	return [...prose(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
		const slug = heading!
			.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
			.trim()
			.replace(/\s/g, '-');
		const count = seen.get(slug) ?? 0;
		seen.set(slug, count + 1);
		return count ? `${slug}-${count}` : slug;
	});
}
