import { randomUUID } from 'node:crypto';
import { type EmulatedPost, RECIPES } from '../../emulator';
import { writeJson } from '../../emulator/exact-json';
import { eventOf } from '../../emulator/webhook/event';
import { signedHeaders } from '../../emulator/webhook/sign';
import type { Delivery } from '../../n8n/load';

export type Signature = 'genuine' | 'forged';

let posts = 0n;

/** A new status event, because a repeated one would be a duplicate. */
function event(): string {
	posts += 1n;
	const post: Pick<EmulatedPost, Exclude<keyof EmulatedPost, 'history' | 'request'>> = {
		action_sn: `ACT${randomUUID().replaceAll('-', '')}`,
		social_post_id: String(9007199254740993n + 2n * posts),
		status: 'published',
		platform: 'PHOTO',
		social_account_id: 'acc_1',
		createdAt: '2026-01-01T00:00:00.000Z',
		publishAt: '2026-01-01T00:00:00.000Z',
	};
	return writeJson(eventOf({ ...post, history: [], request: {} }));
}

/** A new delivery. A forged one is signed with another secret. */
export function delivery(path: string, appSecret: string, signature: Signature): Delivery {
	const body = event();
	const secret = signature === 'genuine' ? appSecret : `${appSecret}-not`;
	const signable = { body, secret, timestamp: '', id: '', nonce: '' };
	const signed = signedHeaders(RECIPES.body, signable);
	return { path, body, headers: { 'content-type': 'application/json', ...signed } };
}
