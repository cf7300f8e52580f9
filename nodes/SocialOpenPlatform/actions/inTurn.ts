/** The last in line, by what is to be done by one at a time. */
export type Turns = Map<string, Promise<unknown>>;

/** Does something when all who asked before for the same name are done, whatever came of them. */
export async function inTurn<T>(turns: Turns, name: string, deed: () => Promise<T>): Promise<T> {
	const before = turns.get(name);
	const mine = (async () => {
		if (before) await before.catch(() => undefined);
		return await deed();
	})();
	turns.set(name, mine);
	try {
		return await mine;
	} finally {
		if (turns.get(name) === mine) turns.delete(name);
	}
}
