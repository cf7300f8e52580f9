import { randomUUID } from 'node:crypto';

import type { EmulatedPost } from '../post-ledger';

/** Returns the event of a status change, whose format is assumed (contract: webhook payload). */
export function eventOf(post: EmulatedPost): { event: string; id: string; [key: string]: unknown } {
	return {
		event: `post.${post.status}`,
		id: `evt_${randomUUID().replaceAll('-', '')}`,
		timestamp: Date.now(),
		data: {
			action_sn: post.action_sn,
			social_post_id: BigInt(post.social_post_id),
			status: post.status,
			platform: post.platform,
			social_account_id: post.social_account_id,
			message: post.message,
		},
	};
}
