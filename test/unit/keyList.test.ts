import { sleep } from 'n8n-workflow';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { KeyList, type ListAccess } from '../../nodes/SocialOpenPlatform/actions/post/keys/keyList';
import { settled, useVirtualTime } from './virtualTime';

/** A list that changes like the one in n8n's database. */
function createList() {
	const list: string[] = [];
	const helpers = {
		checkProcessedAndRecord: async (items: string[], _: string, options: object) => {
			await sleep(1);
			const { maxEntries } = options as { maxEntries: number };
			const known = new Set(list);
			const added = items.filter((item) => !known.has(item));
			for (const item of added) list.push(item);
			list.splice(0, Math.max(0, list.length - maxEntries));
			return { new: added, processed: [] };
		},
		removeProcessed: async (items: string[]) => {
			await sleep(1);
			for (const item of items) list.splice(list.indexOf(item) >>> 0, 1);
		},
	};
	const access = (size: number) => ({ helpers, scope: 'node', size }) as unknown as ListAccess;
	return { list, access };
}

/** Returns the size of the heap in MB after a garbage collection. */
function heapMb(): number {
	setFlagsFromString('--expose-gc');
	(runInNewContext('gc') as () => void)();
	return process.memoryUsage().heapUsed / 1e6;
}

const many = (count: number, prefix = 'key') =>
	Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

describe('KeyList', () => {
	useVirtualTime();

	test('evicts no keys when Clear Deduplication Keys uses the list with a smaller size', async () => {
		const { list, access } = createList();
		const keyList = new KeyList();
		await settled(keyList.add(access(10_000), many(12_000)));
		const adding = [keyList.add(access(10_000), ['a']), keyList.add(access(10_000), ['b'])];
		await settled(Promise.all([...adding, keyList.remove(access(1), ['key 1'])]));
		expect(list).toHaveLength(12_001);
	});

	test('keeps two entries for each key that History Size allows, and evicts the oldest first', async () => {
		const { list, access } = createList();
		const keyList = new KeyList();
		await settled(keyList.add(access(6_000), many(12_000)));
		await settled(keyList.add(access(6_000), many(500, 'new')));
		expect(list).toHaveLength(12_500);
		await settled(keyList.add(access(1), ['newer']));
		expect(list).toHaveLength(10_500);
		expect(list.at(-1)).toBe('newer');
		expect(list).not.toContain('key 2000');
		expect(list).toContain('key 2001');
	});

	test('evicts no entry of a key that is in use', async () => {
		const { list, access } = createList();
		const keyList = new KeyList();
		const using = keyList.use(async () => {
			await keyList.add(access(1), ['in use']);
			await keyList.add(access(1), many(20_000));
			return list.includes('in use');
		});
		expect(await settled(using)).toBe(true);
		await settled(keyList.add(access(1), ['later']));
		expect(list).toHaveLength(10_500);
	});

	test('combines changes that are requested at the same time', async () => {
		const { list, access } = createList();
		const add = jest.spyOn(access(1).helpers, 'checkProcessedAndRecord');
		const keyList = new KeyList();
		await settled(Promise.all(many(50).map(async (key) => await keyList.add(access(1), [key]))));
		expect(list).toHaveLength(50);
		expect(add).toHaveBeenCalledTimes(1);
	});

	test('continues after a change during which the machine slept for an hour', async () => {
		const { list, access } = createList();
		const keyList = new KeyList();
		const now = jest.spyOn(Date, 'now').mockReturnValueOnce(0).mockReturnValueOnce(3_600_000);
		await settled(keyList.add(access(10), ['a']));
		now.mockRestore();
		const from = Date.now();
		await settled(keyList.add(access(10), ['b']));
		expect(list).toStrictEqual(['a', 'b']);
		expect(Date.now() - from).toBeLessThan(5_000);
	});
});

test('KeyList keeps nothing in memory of earlier waits', async () => {
	const keyList = new KeyList();
	const wait = async (rounds: number) => {
		for (let round = 0; round < rounds; round++) {
			await Promise.all(Array.from({ length: 1_000 }, async () => await keyList.waitInOrder(0)));
		}
	};
	await wait(1);
	const before = heapMb();
	await wait(30);
	expect(heapMb() - before).toBeLessThan(2);
	await keyList.waitInOrder(0);
});
