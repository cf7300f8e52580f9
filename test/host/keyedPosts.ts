import type { Item, PostSettings } from './postFlow';

export const ID = '={{ $json.id }}';

/** Uses each item's `id` as its deduplication key. */
export const byId = (more: Item = {}): PostSettings => ({
	options: { maxConcurrentRequests: 1, oncePerKey: ID, ...more },
});

export const article = { id: 'article 1', text: 'a' };
