/**
 * Removes the oldest entries until at most `max` remain. Maps and sets keep the order of insertion.
 */
export function dropOldest(collection: Map<string, unknown> | Set<string>, max: number): void {
	for (const oldest of collection.keys()) {
		if (collection.size <= max) break;
		collection.delete(oldest);
	}
}

/**
 * Adds or moves an entry to the end of a map, and removes the oldest entries until at most `max`
 * remain.
 */
export function putNewest<T>(map: Map<string, T>, key: string, value: T, max: number): void {
	map.delete(key);
	map.set(key, value);
	dropOldest(map, max);
}
