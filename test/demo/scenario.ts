import { sampleArticle, failingArticle } from '../n8n/article';
import { announce } from './article';
import type { DemoSetup } from './demoSetup';
import { follow, reportExecutions } from './status';
import { say } from '../n8n/progress';

/**
 * Announces two articles. One is published, and the other is accepted and fails later.
 *
 * @throws Error at the first difference
 */
export async function runScenario(setup: DemoSetup): Promise<void> {
	const { url } = setup.emulator;
	const article = sampleArticle(url, new Date());
	say(`\nAn article that is published: “${article.post.post_title}”`);
	const first = await announce(article, setup);
	await follow(first, 'published', setup);

	const failing = failingArticle(url, new Date());
	say(`\nAn article whose picture the platform cannot load: “${failing.post.post_title}”`);
	const second = await announce(failing, setup);
	await follow(second, 'failed', setup);

	for (const each of [first, second]) {
		const { length } = await reportExecutions(each, setup);
		if (length === 1) continue;
		throw new Error(`Expected one execution for ${each.post.action_sn}, found ${length}`);
	}
}
