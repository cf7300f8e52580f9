import type { Item, PostSettings } from './postFlow';

/** Items that are posted once per key, by their `id`. */

export const ID = '={{ $json.id }}';

export const byId = (more: Item = {}): PostSettings => ({
	options: { maxConcurrentRequests: 1, oncePerKey: ID, ...more },
});

export const article = { id: 'article 1', text: 'a' };
