/** Removes the oldest entries until at most `max` are left. Maps and sets keep the order of insertion. */
export function dropOldest(collection: Map<string, unknown> | Set<string>, max: number): void {
	for (const oldest of collection.keys()) {
		if (collection.size <= max) break;
		collection.delete(oldest);
	}
}

/** Sets an entry as the newest one of a map, and removes the oldest entries beyond `max`. */
export function putNewest<T>(map: Map<string, T>, key: string, value: T, max: number): void {
	map.delete(key);
	map.set(key, value);
	dropOldest(map, max);
}
