import type { EmulatedPost } from '../emulator';
import type { Article } from './sampleArticle';
import type { DemoSetup } from './demoSetup';
import { TIMEOUT_MS } from './wait';
import { say } from '../n8n/progress';

export interface CreatedPost {
	post: EmulatedPost;
	/** The execution that created the post. */
	executionId: string;
	/** The uploaded picture; absent when the post has a URL. */
	picture?: Buffer;
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
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	try {
		return await fetch(url, { method: 'POST', headers, body, signal });
	} catch (error) {
		throw new Error(`The CMS received no response from n8n: ${(error as Error).message}`);
	}
}

/** Announces an article as a CMS does. @throws Error if n8n does not create a post from it */
export async function announce(article: Article, setup: DemoSetup): Promise<CreatedPost> {
	const { rest, emulator, articles } = setup;
	say(`  1. The CMS announces the article: POST ${articles.url}`);
	const response = await send(article, articles.url);
	const text = await response.text();
	const record = readJson(text);
	const post = emulator.posts.find(({ action_sn }) => action_sn === record.action_sn);
	if (!post) {
		throw new Error(
			`The CMS received HTTP ${response.status} without an action record: ${text.slice(0, 400)}`,
		);
	}
	const [executionId = ''] = await rest.executionIds(articles.id);
	const { status } = await rest.finished(executionId);
	say(`  2. n8n creates the post: execution ${executionId}, ${status}`);
	say(`     The CMS receives HTTP ${response.status} and the action record ${post.action_sn}:`);
	say(`     post ${post.social_post_id}, ${record.status}. It is accepted, but not published yet.`);
	if (status !== 'success' || record.status !== 'processing') {
		throw new Error(`Expected success and 'processing', but got ${status} and ${record.status}`);
	}
	return { post, executionId };
}
