import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Article, sampleArticle, failingArticle } from './sampleArticle';
import type { DemoSetup } from './demoSetup';
import { folder, type SavedState } from './savedState';
import { root } from '../n8n/pack';
import { say } from '../n8n/progress';

/** Writes an article to a file, and returns the command that announces it. */
function command(name: string, article: Article, url: string): string {
	const file = join(folder, `${name}.json`);
	writeFileSync(file, `${JSON.stringify(article, null, '\t')}\n`);
	return `curl -H 'content-type: application/json' -d @${relative(root, file)} ${url}`;
}

/** Prints URLs, the login, and commands to try. */
export function printNextSteps(setup: DemoSetup, { email, password }: SavedState): void {
	const { rest, emulator, articles, photoForm, statuses } = setup;
	const now = new Date();
	const inEditor = ({ id }: { id: string }) => `${rest.url}/workflow/${id}`;
	say(`
  “${articles.name}”
                           ${inEditor(articles)}
  “${photoForm.name}”
                           ${inEditor(photoForm)}
  “${statuses.name}”
                           ${inEditor(statuses)}
  Log in with              ${email}
                           ${password}
  Posts on the platform    ${emulator.url}/
  Webhook URL              ${statuses.url}
  Publish an article       ${command('article', sampleArticle(emulator.url, now), articles.url)}
  Publish a photo          ${photoForm.url}
  Publish one that fails   ${command('failing-article', failingArticle(emulator.url, now), articles.url)}
  Start from scratch       delete the folder .demo/

Everything runs on this machine only. Press Ctrl-C to stop.`);
}
