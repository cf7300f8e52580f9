import { sleep } from 'n8n-workflow';
import { KeyList, type ListHelpers } from '../../../nodes/SocialOpenPlatform/post/keys/list';
import { settled, useVirtualTime } from '../virtualTime';

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
	return { list, helpers: helpers as unknown as ListHelpers };
}

const many = (count: number, prefix = 'key') =>
	Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

describe('KeyList', () => {
	useVirtualTime();

	test('keeps 10,000 entries, and evicts the oldest first', async () => {
		const { list, helpers } = createList();
		const keyList = new KeyList();
		await settled(keyList.add(helpers, many(10_000)));
		await settled(keyList.add(helpers, many(500, 'new')));
		await settled(keyList.add(helpers, ['newer']));
		expect(list).toHaveLength(10_001);
		expect(list.at(-1)).toBe('newer');
		expect(list).not.toContain('key 499');
		expect(list).toContain('key 500');
	});

	test('reports an entry as new to only one of several combined changes', async () => {
		const { helpers } = createList();
		const keyList = new KeyList();
		const added = [keyList.add(helpers, ['a', 'b']), keyList.add(helpers, ['a', 'c'])];
		const results = await settled(Promise.all(added));
		expect(results.map((result) => [...result])).toStrictEqual([['a', 'b'], ['c']]);
	});

	test('ends waits in the order in which they began, even if the database was slow at first', async () => {
		const random = jest.spyOn(Math, 'random').mockReturnValue(0.9);
		const keyList = new KeyList();
		const ended: Array<[name: string, atMs: number]> = [];
		const from = Date.now();
		const wait = async (name: string) => {
			await keyList.waitForOthers();
			ended.push([name, Date.now() - from]);
		};
		Object.assign(keyList, { changeMs: 200 });
		const first = wait('a');
		Object.assign(keyList, { changeMs: 2 });
		await settled(Promise.all([first, wait('b'), wait('c')]));
		random.mockRestore();
		expect(ended).toStrictEqual(['a', 'b', 'c'].map((name) => [name, 1740]));
	});

	test('combines changes that are requested at the same time', async () => {
		const { list, helpers } = createList();
		const add = jest.spyOn(helpers, 'checkProcessedAndRecord');
		const keyList = new KeyList();
		await settled(Promise.all(many(50).map(async (key) => await keyList.add(helpers, [key]))));
		expect(list).toHaveLength(50);
		expect(add).toHaveBeenCalledTimes(1);
	});

	test('continues after a change during which the machine slept for an hour', async () => {
		const { list, helpers } = createList();
		const keyList = new KeyList();
		const now = jest
			.spyOn(performance, 'now')
			.mockReturnValueOnce(0)
			.mockReturnValueOnce(3_600_000);
		await settled(keyList.add(helpers, ['a']));
		now.mockRestore();
		const from = Date.now();
		await settled(keyList.add(helpers, ['b']));
		expect(list).toStrictEqual(['a', 'b']);
		expect(Date.now() - from).toBeLessThan(5_000);
	});
});
