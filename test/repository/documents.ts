import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './repositoryFiles';

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Returns the text without code blocks, which contain no links. */
const prose = (text: string): string => text.replace(/^( *)```[^]*?^\1```$/gm, '');

/** Returns the targets of links and pictures as they are written. */
export function linksIn(text: string): string[] {
	const outside = prose(text).replace(/`[^`\n]*`/g, '');
	return [...outside.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
}

/** Returns the anchors that GitHub creates for headings. */
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
