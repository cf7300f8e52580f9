import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { KeyList, type ListAccess } from '../../nodes/SocialOpenPlatform/actions/post/keys/keyList';

/** A list that changes like the one in n8n's database. */
function createList() {
	const list: string[] = [];
	const state = { tookMs: 1 };
	const delay = async () => await sleep(state.tookMs);
	const helpers = {
		checkProcessedAndRecord: async (items: string[], _: string, options: object) => {
			await delay();
			const { maxEntries } = options as { maxEntries: number };
			const added = items.filter((item) => !list.includes(item));
			list.push(...added);
			list.splice(0, Math.max(0, list.length - maxEntries));
			return { new: added, processed: [] };
		},
		removeProcessed: async (items: string[]) => {
			await delay();
			for (const item of items) list.splice(list.indexOf(item) >>> 0, 1);
		},
	};
	const access = (size: number) => ({ helpers, scope: 'node', size }) as unknown as ListAccess;
	return { list, state, access };
}

/** Returns the size of the heap in MB after a garbage collection. */
function heapMb(): number {
	setFlagsFromString('--expose-gc');
	(runInNewContext('gc') as () => void)();
	return process.memoryUsage().heapUsed / 1e6;
}

const many = Array.from({ length: 1000 }, (_, index) => `key ${index}`);

describe('KeyList', () => {
	test('evicts no keys when Clear Deduplication Keys uses the list with a smaller size', async () => {
		const { list, access } = createList();
		const keyList = new KeyList();
		await keyList.add(access(10_000), many);
		const adding = [keyList.add(access(10_000), ['a']), keyList.add(access(10_000), ['b'])];
		await Promise.all([...adding, keyList.remove(access(1), ['key 1'])]);
		expect(list).toHaveLength(many.length + 1);
	});

	test('continues after a change during which the machine slept for an hour', async () => {
		const { list, access } = createList();
		const keyList = new KeyList();
		const now = jest.spyOn(Date, 'now').mockReturnValueOnce(0).mockReturnValueOnce(3_600_000);
		await keyList.add(access(10), ['a']);
		now.mockRestore();
		await keyList.add(access(10), ['b']);
		expect(list).toStrictEqual(['a', 'b']);
	});

	test('keeps nothing in memory of earlier waits', async () => {
		const keyList = new KeyList();
		const before = heapMb();
		for (let round = 0; round < 100; round++) {
			await Promise.all(Array.from({ length: 2_000 }, async () => await keyList.waitInOrder(0)));
		}
		expect(heapMb() - before).toBeLessThan(5);
		await keyList.waitInOrder(0);
	});
});
