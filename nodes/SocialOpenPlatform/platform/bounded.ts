/**
 * Adds or moves an entry to the end of a map, and removes the oldest entries until at most `max`
 * remain. Maps keep the order of insertion.
 */
export function putNewest<T>(map: Map<string, T>, key: string, value: T, max: number) {
	map.delete(key);
	map.set(key, value);
	for (const oldest of map.keys()) {
		if (map.size <= max) break;
		map.delete(oldest);
	}
}
