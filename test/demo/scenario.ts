import { sampleArticle, failingArticle } from './sampleArticle';
import { announce } from './article';
import type { DemoSetup } from './demoSetup';
import { submitPhoto } from './photoForm';
import { follow, reportExecutions } from './status';
import { say } from '../n8n/progress';

/**
 * Publishes an article with the URL of a picture and a photo from a form, and announces an article
 * that is accepted and fails later.
 *
 * @throws Error at the first difference
 */
export async function runScenario(setup: DemoSetup): Promise<void> {
	const { url } = setup.emulator;
	const article = sampleArticle(url, new Date());
	say(`\nAn article that is published: “${article.post.post_title}”`);
	const first = await announce(article, setup);
	await follow(first, 'published', setup);

	say('\nA photo that is uploaded in a form of n8n');
	const second = await submitPhoto(setup, new Date());
	await follow(second, 'published', setup);

	const failing = failingArticle(url, new Date());
	say(`\nAn article whose picture the platform cannot download: “${failing.post.post_title}”`);
	const third = await announce(failing, setup);
	await follow(third, 'failed', setup);

	for (const each of [first, second, third]) {
		const { length } = await reportExecutions(each, setup);
		if (length === 1) continue;
		throw new Error(`Expected one execution for ${each.post.action_sn}, found ${length}`);
	}
}
