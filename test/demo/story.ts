import { sampleArticle, unluckyArticle } from '../n8n/article';
import { announce } from './article';
import type { House } from './house';
import { follow, reactions } from './status';
import { say } from '../n8n/progress';

/** Two articles, one of which gets published; the other is accepted and fails later. */

/** @throws Error that says at which step it went on differently, or not at all */
export async function tell(house: House): Promise<void> {
	const { url } = house.emulator;
	const lucky = sampleArticle(url, new Date());
	say(`\nAn article that gets published: “${lucky.post.post_title}”`);
	const first = await announce(lucky, house);
	await follow(first, 'published', house);

	const unlucky = unluckyArticle(url, new Date());
	say(`\nOne whose picture the platform cannot load: “${unlucky.post.post_title}”`);
	const second = await announce(unlucky, house);
	await follow(second, 'failed', house);

	for (const each of [first, second]) {
		const { length } = await reactions(each, house);
		if (length === 1) continue;
		throw new Error(`${length} executions, not one, are about ${each.post.action_sn}`);
	}
}
