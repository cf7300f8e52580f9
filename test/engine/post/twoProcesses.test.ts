import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { KeySetup, keyed } from '../harness/keySetup';
import { itemsOf, textsOf } from '../harness/manyPosts';
import { OtherProcess, type RemoteRunResult } from '../harness/otherProcess';
import { until } from '../harness/storage';
import { postsOf } from './postSetup';

const setup = KeySetup.forEachTest();
const { platform, created, posts, fault } = postsOf(setup.platform);
let other: OtherProcess;
beforeAll(async () => (other = await OtherProcess.start(setup)));
afterAll(async () => await other?.stop());

const exchanges = () => platform.received('getAccessToken').length;

/** Runs each item in an execution of its own, alternately in this process and in the other one. */
async function runAlternately(items: IDataObject[], options: IDataObject = {}) {
	const parameters = { text: '={{ $json.text }}', options };
	const run = async (item: IDataObject, index: number): Promise<RemoteRunResult> => {
		const more = { items: [item], workflowId: setup.workflowId };
		if (index % 2) return await other.run(parameters, more);
		const { error, outputs } = await platform.run(parameters, more);
		return { error: error?.message, json: (outputs[0] ?? []).map(({ json }) => json) };
	};
	const results = await Promise.all(items.map(run));
	expect(results.flatMap(({ error }) => error ?? [])).toStrictEqual([]);
	return results.map(({ json }) => json[0]!);
}

describe('Two processes with one credential, where a new token revokes the earlier ones', () => {
	const starts: Record<string, () => Promise<unknown>> = {
		'no token is stored': async () => {},
		'the stored token has expired': async () => {
			await other.run();
			platform.emulator.expireTokens();
		},
	};

	test.each(Object.keys(starts))(
		'send each of 40 posts once when %s, with few token exchanges',
		async (start) => {
			await starts[start]!();
			platform.emulator.adjust({ latencyMs: 30 });
			const before = posts().length;
			await runAlternately(itemsOf(40));
			expect(posts()).toHaveLength(before + 40);
			expect(exchanges()).toBeLessThanOrEqual(6 + before);
		},
	);
});

describe('Two processes with the same list of keys', () => {
	const oncePerKey = '={{ $json.key }}';
	const keys = (count: number) => itemsOf(count).map((item) => ({ ...item, key: item.text }));
	const more = (item: IDataObject) => ({ items: [item], workflowId: setup.workflowId });

	test('lose none of 20 keys that are used at the same time', async () => {
		await runAlternately(keys(20), { oncePerKey });
		const again = await runAlternately(keys(20).reverse(), { oncePerKey });
		expect(again.map(({ skipped }) => skipped)).toStrictEqual(Array(20).fill(true));
		expect(new Set(textsOf(posts())).size).toBe(20);
		expect(posts()).toHaveLength(20);
	});

	test('send one post for a key that is used ten times at the same time', async () => {
		platform.emulator.adjust({ latencyMs: 30 });
		await runAlternately(keyed(...Array<string>(10).fill('a')), { oncePerKey });
		expect(posts()).toHaveLength(1);
	});

	test.each([
		['was not used before', []],
		['has an unknown outcome', ['first']],
	])('send one post while a rate limit lasts, with Resend on, if its key %s', async (_, before) => {
		const options = { oncePerKey: 'a', resendUnknown: true };
		if (before.length > 0) {
			fault('server-error-after');
			await platform.run({ text: 'first', options: { oncePerKey: 'a' } }, more({}));
		}
		fault('rate-limited-429', { retryAfter: 2.5, bodyHas: 'ours' });
		const waiting = runAlternately([{ text: 'ours' }], options);
		await until(() => created().length === before.length + 1);
		const { json } = await other.run({ text: 'theirs', options }, more({}));
		expect(json).toMatchObject([{ status: 'processing' }]);
		expect(await waiting).toMatchObject([{ skipped: true, key: 'a' }]);
		expect(textsOf(posts())).toStrictEqual([...before, 'theirs']);
	});

	test('send the posts of 20 keys again that one process has posted and the other has cleared', async () => {
		const post = { text: '={{ $json.text }}', options: { oncePerKey } };
		const socialAccountId = { __rl: true, mode: 'id', value: 'acc_1' };
		const clear = { operation: 'clear', socialAccountId, key: '={{ $json.key }}' };
		// The other process also clears keys that were not posted, so that the two are not in step.
		const before = other.run(clear, more({ key: 'none' }));
		await sleep(200);
		const postAndClear = async (item: IDataObject, index: number) => {
			await sleep(40 * index);
			expect((await platform.run(post, more(item))).error).toBeUndefined();
			expect((await other.run(clear, more(item))).json).toMatchObject([{ cleared: true }]);
		};
		await Promise.all([before, ...keys(20).map(postAndClear)]);
		const again = await runAlternately(keys(20), { oncePerKey });
		expect(again).not.toContainEqual(expect.objectContaining({ skipped: true }));
		expect(posts()).toHaveLength(40);
	});

	test('send one post, with Resend on, if a token exchange takes longer than the wait without it', async () => {
		const options = { oncePerKey: 'a', resendUnknown: true };
		platform.emulator.fault({ kind: 'slow', operation: 'getAccessToken', delayMs: 11_500 });
		const ours = runAlternately([{ text: 'ours' }], options);
		await until(() => exchanges() === 1);
		const { json } = await other.run({ text: 'theirs', options }, more({}));
		expect(json).toMatchObject([{ skipped: true, key: 'a' }]);
		await ours;
		expect(textsOf(posts())).toStrictEqual(['ours']);
	});
});
