import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from '../../emulator';
import { KeySetup, keyed } from '../harness/keySetup';
import { itemsOf, textsOf } from '../harness/manyPosts';
import { OtherProcess, type RemoteRunResult } from '../harness/otherProcess';
import { until } from '../harness/storage';

const setup = KeySetup.forEachTest();
let other: OtherProcess;
beforeAll(async () => (other = await OtherProcess.start(setup)));
afterAll(async () => await other?.stop());

const exchanges = () => setup.platform.received('getAccessToken').length;
const different = () => new Set(textsOf(setup.posts)).size;
const errorsOf = (results: RemoteRunResult[]) => results.flatMap(({ error }) => error ?? []);

/** Runs each item in an execution of its own, alternately in this process and in the other one. */
async function runAlternately(items: object[], options: object = {}): Promise<RemoteRunResult[]> {
	const parameters = { text: '={{ $json.text }}', options } as never;
	const { platform, workflowId } = setup;
	const run = async (item: object, index: number): Promise<RemoteRunResult> => {
		const more = { items: [item as never], workflowId };
		if (index % 2) return await other.run(parameters, more);
		const { error, outputs } = await platform.run(parameters, more);
		return { error: error?.message, json: (outputs[0] ?? []).map(({ json }) => json) };
	};
	return await Promise.all(items.map(run));
}

describe('Two processes with one credential, where a new token revokes the earlier ones', () => {
	const starts: Record<string, () => Promise<unknown>> = {
		'no token is stored': async () => {},
		'the stored token is valid': async () => await setup.platform.run(),
		'the stored token has expired': async () => {
			await other.run();
			setup.platform.emulator.expireTokens();
		},
	};

	test.each(Object.keys(starts))('send each post once when %s', async (start) => {
		await starts[start]!();
		setup.platform.emulator.adjust({ latencyMs: 30 });
		const before = setup.posts.length;
		expect(errorsOf(await runAlternately(itemsOf(20)))).toStrictEqual([]);
		expect(setup.posts).toHaveLength(before + 20);
		expect(exchanges()).toBeLessThanOrEqual(4 + before);
	});

	test('complete 60 executions after the token has expired, with few token exchanges', async () => {
		await other.run();
		const { emulator } = setup.platform;
		emulator.adjust({ latencyMs: 50 });
		emulator.expireTokens();
		const before = exchanges();
		expect(errorsOf(await runAlternately(itemsOf(60)))).toStrictEqual([]);
		expect(exchanges() - before).toBeLessThanOrEqual(8);
	});
});

describe('Two processes with the same list of keys', () => {
	const oncePerKey = '={{ $json.key }}';
	const keys = (count: number) => itemsOf(count).map((item) => ({ ...item, key: item.text }));

	test('lose none of 20 keys that are used at the same time', async () => {
		expect(errorsOf(await runAlternately(keys(20), { oncePerKey }))).toStrictEqual([]);
		expect(setup.posts).toHaveLength(20);
		const again = await runAlternately(keys(20).reverse(), { oncePerKey });
		expect(again.map(({ json }) => json[0]!.skipped)).toStrictEqual(Array(20).fill(true));
		expect(different()).toBe(20);
		expect(setup.posts).toHaveLength(20);
	});

	test('send one post for a key that is used ten times at the same time', async () => {
		setup.platform.emulator.adjust({ latencyMs: 30 });
		const same = keyed(...Array<string>(10).fill('a'));
		expect(errorsOf(await runAlternately(same, { oncePerKey }))).toStrictEqual([]);
		expect(setup.posts).toHaveLength(1);
	});

	test.each([
		['was not used before', []],
		['has an unknown outcome', ['first']],
	])('send one post while a rate limit lasts, with Resend on, if its key %s', async (_, before) => {
		const fault = (kind: FaultKind, more: object) =>
			setup.platform.emulator.fault({ kind, operation: 'createPost', ...more });
		const options = { oncePerKey: 'a', resendUnknown: true };
		if (before.length > 0) {
			fault('server-error-after', {});
			await runAlternately([{ text: 'first' }], { oncePerKey: 'a' });
		}
		fault('rate-limited-429', { retryAfter: 4, bodyHas: 'ours' });
		const waiting = runAlternately([{ text: 'ours' }], options);
		await until(() => setup.created.length === before.length + 1);
		const { json, error } = await other.run(
			{ text: 'theirs', options },
			{ workflowId: setup.workflowId, items: [{}] },
		);
		expect([json, error]).toMatchObject([[{ status: 'processing' }], undefined]);
		const [ours] = await waiting;
		expect(ours!.json).toMatchObject([{ skipped: true, key: 'a' }]);
		expect(textsOf(setup.posts)).toStrictEqual([...before, 'theirs']);
	});

	test('send the posts of 20 keys again that one process has posted and the other has cleared', async () => {
		const post = { text: '={{ $json.text }}', options: { oncePerKey } };
		const socialAccountId = { __rl: true, mode: 'id', value: 'acc_1' };
		const clear = { operation: 'clear', socialAccountId, key: '={{ $json.key }}' };
		const { platform, workflowId } = setup;
		const postAndClear = async (item: object, index: number) => {
			const more = { items: [item as never], workflowId };
			await sleep(40 * index);
			expect((await platform.run(post, more)).error).toBeUndefined();
			const { json } = await other.run(clear, more);
			expect(json).toMatchObject([{ cleared: true }]);
		};
		// The other process also clears keys that were not posted, so that the two are not in step.
		const before = other.run(clear, { items: [{ key: 'none' }], workflowId });
		await sleep(200);
		await Promise.all([before, ...keys(20).map(postAndClear)]);
		const again = await runAlternately(keys(20), { oncePerKey });
		expect(again.filter(({ json }) => json[0]?.skipped)).toStrictEqual([]);
		expect(setup.posts).toHaveLength(40);
	});

	test('send one post, with Resend on, if a token exchange takes longer than the wait without it', async () => {
		const options = { oncePerKey: 'a', resendUnknown: true };
		setup.platform.emulator.fault({
			kind: 'slow',
			operation: 'getAccessToken',
			delayMs: 11_500,
		});
		const ours = runAlternately([{ text: 'ours' }], options);
		await until(() => exchanges() === 1);
		const { json } = await other.run(
			{ text: 'theirs', options },
			{ workflowId: setup.workflowId, items: [{}] },
		);
		expect(json).toMatchObject([{ skipped: true, key: 'a' }]);
		expect(errorsOf(await ours)).toStrictEqual([]);
		expect(textsOf(setup.posts)).toStrictEqual(['ours']);
	});

	test('send one post for each of 8 keys that both use at the same time', async () => {
		const twice = keys(8).flatMap((item) => [item, item]);
		expect(errorsOf(await runAlternately(twice, { oncePerKey }))).toStrictEqual([]);
		expect([setup.posts.length, different()]).toStrictEqual([8, 8]);
	});
});
