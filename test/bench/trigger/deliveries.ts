import { randomUUID } from 'node:crypto';
import { RECIPES } from '../../emulator';
import { signedHeaders } from '../../emulator/webhook/sign';
import type { Delivery } from '../load';

/** Returns a delivery of a new status event, because a repeated one would be a duplicate. */
export function delivery(path: string, secret: string): Delivery {
	const id = randomUUID().replaceAll('-', '');
	const status = { action_sn: `ACT${id}`, social_post_id: 10_086, status: 'published' };
	const body = JSON.stringify({
		...{ event: 'post.published', id: `evt_${id}`, timestamp: Date.now() },
		data: { ...status, platform: 'PHOTO', social_account_id: 'acc_1' },
	});
	const signable = { body, secret, timestamp: '', id: '', nonce: '' };
	const signed = signedHeaders(RECIPES.body, signable);
	return { path, body, headers: { 'content-type': 'application/json', ...signed } };
}
