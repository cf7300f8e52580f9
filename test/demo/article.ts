import type { EmulatedPost } from '../emulator';
import type { Article } from '../n8n/article';
import type { House } from './house';
import { PATIENCE_MS } from './wait';
import { say } from '../n8n/progress';

/** The first half of each story: the CMS announces an article, n8n makes a post of it. */

export interface Announced {
	post: EmulatedPost;
	/** Of the workflow that posted it. */
	executionId: string;
}

const readJson = (text: string): { action_sn?: string; status?: string } => {
	try {
		return JSON.parse(text) as object;
	} catch {
		return {};
	}
};

async function send(article: Article, url: string): Promise<Response> {
	const headers = { 'content-type': 'application/json' };
	const body = JSON.stringify(article);
	const signal = AbortSignal.timeout(PATIENCE_MS);
	try {
		return await fetch(url, { method: 'POST', headers, body, signal });
	} catch (error) {
		throw new Error(`The CMS got no answer from n8n: ${(error as Error).message}`);
	}
}

/** @throws Error when the article has not become a post that is being processed */
export async function announce(article: Article, house: House): Promise<Announced> {
	const { rest, emulator, articles } = house;
	say(`  1. The CMS announces the article: POST ${articles.url}`);
	const answer = await send(article, articles.url);
	const text = await answer.text();
	const record = readJson(text);
	const post = emulator.posts.find(({ action_sn }) => action_sn === record.action_sn);
	if (!post) {
		throw new Error(
			`The CMS got HTTP ${answer.status} and no action record: ${text.slice(0, 400)}`,
		);
	}
	const [executionId = ''] = await rest.executionIds(articles.id);
	const { status } = await rest.finished(executionId);
	say(`  2. n8n creates the post: execution ${executionId}, ${status}`);
	say(`     The CMS gets HTTP ${answer.status} and the action record ${post.action_sn}:`);
	say(`     post ${post.social_post_id}, ${record.status}. It is on its way, not out yet.`);
	if (status !== 'success' || record.status !== 'processing') {
		throw new Error(`A success and 'processing' were expected, not ${status}, ${record.status}`);
	}
	return { post, executionId };
}
