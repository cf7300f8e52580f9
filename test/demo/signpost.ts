import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Article, sampleArticle, unluckyArticle } from '../n8n/article';
import type { House } from './house';
import { folder, type Memory } from './memory';
import { root } from '../n8n/pack';
import { say } from '../n8n/progress';

/** Where to look and what to try, once the demo has shown how it goes. */

/** Lays an article down as a file, and returns the command that announces it. */
function command(name: string, article: Article, url: string): string {
	const file = join(folder, `${name}.json`);
	writeFileSync(file, `${JSON.stringify(article, null, '\t')}\n`);
	return `curl -H 'content-type: application/json' -d @${relative(root, file)} ${url}`;
}

export function tellWhereToLook(house: House, { email, password }: Memory): void {
	const { rest, emulator, articles, statuses } = house;
	const now = new Date();
	const inEditor = ({ id }: { id: string }) => `${rest.url}/workflow/${id}`;
	say(`
  “${articles.name}”
                           ${inEditor(articles)}
  “${statuses.name}”
                           ${inEditor(statuses)}
  Log in with              ${email}
                           ${password}
  Posts on the platform    ${emulator.url}/
  It reports to            ${statuses.url}
  Publish another article  ${command('article', sampleArticle(emulator.url, now), articles.url)}
  Let one fail             ${command('unlucky-article', unluckyArticle(emulator.url, now), articles.url)}
  Start all over           remove the folder .demo/

Everything runs on this machine only. Press Ctrl-C to stop.`);
}
