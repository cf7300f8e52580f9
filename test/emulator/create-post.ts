import { accepted, refused, type Answer } from './answer';
import { brokenBound } from './post-bounds';
import type { PostLedger } from './post-ledger';

/**
 * Handles `POST /api/v1/socialPostCreate<Name>` after its token was accepted (platform interface, Create a
 * post). `social_post_id` is an integer literal beyond 2^53. Two additional fields represent fields that the
 * interface does not show.
 */
export function createPost(body: Record<string, unknown>, ledger: PostLedger): Answer {
	const problem = brokenBound(body);
	if (problem) return refused({ code: 2150, message: problem });
	const post = ledger.accept(body);
	return accepted({
		action_sn: post.action_sn,
		social_post_id: BigInt(post.social_post_id),
		status: post.status,
		platform: post.platform,
		social_account_id: post.social_account_id,
		created_at: post.createdAt,
	});
}
