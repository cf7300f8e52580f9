/** Drops what came first until at most so many are left; maps and sets keep the order of arrival. */
export function dropOldest(collection: Map<string, unknown> | Set<string>, most: number): void {
	for (const oldest of collection.keys()) {
		if (collection.size <= most) break;
		collection.delete(oldest);
	}
}

/** Puts an entry last, and drops the first ones beyond the bound. */
export function putNewest<T>(map: Map<string, T>, key: string, value: T, most: number): void {
	map.delete(key);
	map.set(key, value);
	dropOldest(map, most);
}
